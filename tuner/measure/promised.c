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

/* Half of what lies between 1 and the next number of a type. */
static double unit_roundoff(enum tw_type type) {
    unsigned char bytes[8];
    double unit = 1;
    do {
        unit /= 2;
        tw_type_encode(type, 1 + unit, bytes);
    } while (tw_type_decode(type, bytes) != 1);
    return unit;
}

/* Near zero a type's numbers are no denser. */
struct sample_errors promised_rounding(const struct promised_family *f, enum tw_type type,
                                       int64_t elements) {
    const double unit = unit_roundoff(type);
    const double least = type == TW_TYPE_f32 ? ldexp(1, -150) : 0;
    struct sample_errors errors = {0};
    double squares = 0;
    for (int64_t i = 0; i < elements; i++) {
        if (!isfinite(f->plain[i]) || !isfinite(f->right[i]) || f->sizes[i] == 0)
            continue;
        double error = fmax(unit * fabs(f->right[i]), least) / f->sizes[i];
        errors.max = fmax(errors.max, error);
        squares += error * error;
        errors.count++;
    }
    /* Of errors that are uniform between these and their negatives. */
    errors.rms = errors.count > 0 ? sqrt(squares / (double)errors.count / 3) : 0;
    return errors;
}

double promise_allowed(const struct tw_error_bound *bound, const struct promised_family *f,
                       bool largest) {
    const double chance = 8 / sqrt(fmax((double)f->plain_errors.count, 1));
    const double plain = largest ? fmax(f->plain_errors.max, f->rounding.max)
                                 : fmax(f->plain_errors.rms, f->rounding.rms);
    /* The root mean square of one element is its error, which may be the largest. That of many is
     * as uncertain as those of their lines are: where a sum is of one product, or one outweighs the
     * others, a number that is far from what splitting leaves of it is so in all of its line. */
    const double of_lines = 1 + 2 / sqrt(fmax((double)f->lines, 1));
    const double rms = fmin(bound->max, bound->rms * fmax(of_lines, chance));
    return bound->times_plain * plain * ((largest ? 1.25 : 1) + chance) +
           (largest ? bound->max : rms);
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
