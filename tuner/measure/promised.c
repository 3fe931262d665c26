#include "tuner/measure/promised.h"

#include <math.h>

struct sample_errors promised_errors(const struct promised_family *f, const double *got,
                                     int64_t elements) {
    struct sample_errors errors = {0};
    double squares = 0;
    for (int64_t i = 0; i < elements; i++) {
        if (!isfinite(f->plain[i]) || !isfinite(got[i]) || !isfinite(f->right[i]))
            continue;
        double difference = fabs(got[i] - f->right[i]);
        double error = difference == 0 ? 0 : difference / f->sizes[i];
        errors.max = fmax(errors.max, error);
        squares += error * error;
        errors.count++;
    }
    errors.rms = errors.count > 0 ? sqrt(squares / (double)errors.count) : 0;
    return errors;
}

struct sample_errors promised_rounding(const struct promised_family *f, enum tw_type type,
                                       int64_t elements) {
    struct sample_errors errors = {0};
    double squares = 0;
    for (int64_t i = 0; i < elements; i++) {
        unsigned char bytes[8];
        if (!isfinite(f->plain[i]) || !isfinite(f->right[i]) || f->sizes[i] == 0)
            continue;
        tw_type_encode(type, f->right[i], bytes);
        const double rounded = tw_type_decode(type, bytes);
        if (!isfinite(rounded))
            continue;
        double error = fabs(rounded - f->right[i]) / f->sizes[i];
        errors.max = fmax(errors.max, error);
        squares += error * error;
        errors.count++;
    }
    errors.rms = errors.count > 0 ? sqrt(squares / (double)errors.count) : 0;
    return errors;
}

double promise_allowed(const struct tw_error_bound *bound, const struct promised_family *f,
                       bool largest) {
    const double chance = 8 / sqrt(fmax((double)f->plain_errors.count, 1));
    const double plain = largest ? fmax(f->plain_errors.max, f->rounding.max)
                                 : fmax(f->plain_errors.rms, f->rounding.rms);
    return bound->times_plain * plain * ((largest ? 1.25 : 1) + chance) +
           (largest ? bound->max : bound->rms);
}

bool promised_is_sound(const struct promised_family *f, enum tw_type type, int64_t i, double got) {
    if (isfinite(f->plain[i]) && isfinite(got))
        return true;
    if (isnan(f->plain[i]) ? isnan(got) : got == f->plain[i])
        return true;
    unsigned char bytes[8];
    tw_type_encode(type, f->right[i], bytes);
    return !isfinite(f->plain[i]) && isfinite(f->right[i]) && isfinite(got) &&
           isfinite(tw_type_decode(type, bytes));
}
