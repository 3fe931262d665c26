#include "tuner/formats/extras.h"

#include <math.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/formats/status_words.h"

double extras_microseconds(double milliseconds) {
    double time = milliseconds * 1e3;
    if (time / 1e3 == milliseconds)
        return time;
    double above = nextafter(time, INFINITY), below = nextafter(time, 0);
    return above / 1e3 == milliseconds ? above : below / 1e3 == milliseconds ? below : time;
}

int extras_of(const struct tw_db_trial *t, struct extra extras[EXTRAS_MOST]) {
    int count = 0;
    if (t->has_time)
        extras[count++] = (struct extra){"tilewise_repeats", "", (double)t->repeats};
    if (t->has_interval) {
        extras[count++] = (struct extra){"tilewise_ci_low", "ms", t->ci_low_us / 1e3};
        extras[count++] = (struct extra){"tilewise_ci_high", "ms", t->ci_high_us / 1e3};
    }
    if (t->screened_out)
        extras[count++] = (struct extra){"tilewise_screened_out", "", 1};
    /* JSON has no infinity; the status says that such an answer is wrong. */
    if (t->has_error && isfinite(t->max_rel_error) && isfinite(t->rms_rel_error)) {
        extras[count++] = (struct extra){"tilewise_max_rel_error", "", t->max_rel_error};
        extras[count++] = (struct extra){"tilewise_rms_rel_error", "", t->rms_rel_error};
    }
    if (t->has_hard && isfinite(t->hard_max_error) && isfinite(t->hard_rms_error)) {
        extras[count++] = (struct extra){"tilewise_hard_max_error", "", t->hard_max_error};
        extras[count++] = (struct extra){"tilewise_hard_rms_error", "", t->hard_rms_error};
    }
    if (t->has_registers)
        extras[count++] = (struct extra){"tilewise_registers", "", (double)t->registers};
    if (t->has_spill_bytes)
        extras[count++] = (struct extra){"tilewise_spill_bytes", "bytes", (double)t->spill_bytes};
    if (t->has_shared_bytes)
        extras[count++] = (struct extra){"tilewise_shared_bytes", "bytes", (double)t->shared_bytes};
    return count;
}

static double not_negative(const struct tw_json *value) {
    double number = tw_json_number(value);
    if (number < 0)
        tw_json_fail(value, "expected no less than 0");
    return number;
}

static int64_t count_of(const struct tw_json *value, int64_t least) {
    int64_t number = tw_json_integer(value);
    if (number < least)
        tw_json_fail(value, "expected no less than %lld", (long long)least);
    return number;
}

static void take_text(struct tw_db_trial *t, const char *name, const struct tw_json *value) {
    const char *text = tw_json_string(value);
    if (strcmp(name, "status") == 0) {
        if (!status_word_read(text, &t->status))
            tw_json_fail(value, "no status of a trial has this name");
        /* Tilewise's own message comes behind it; the other tool's word says no more. */
        t->message = NULL;
    } else if (!tw_is_printable(text)) {
        tw_json_fail(value, "too long, or not plain text");
    } else {
        t->message = text;
    }
}

void extras_take(struct tw_db_trial *t, const char *name, const struct tw_json *value) {
    static const char ours[] = "tilewise_";
    if (strncmp(name, ours, strlen(ours)) != 0)
        return;
    name += strlen(ours);
    if (strcmp(name, "status") == 0 || strcmp(name, "message") == 0) {
        take_text(t, name, value);
    } else if (strcmp(name, "repeats") == 0) {
        t->repeats = count_of(value, 1);
    } else if (strcmp(name, "ci_low") == 0) {
        t->has_interval = true;
        t->ci_low_us = extras_microseconds(not_negative(value));
    } else if (strcmp(name, "ci_high") == 0) {
        t->has_interval = true;
        t->ci_high_us = extras_microseconds(not_negative(value));
    } else if (strcmp(name, "screened_out") == 0) {
        t->screened_out = count_of(value, 0) != 0;
    } else if (strcmp(name, "max_rel_error") == 0) {
        t->has_error = true;
        t->max_rel_error = not_negative(value);
    } else if (strcmp(name, "rms_rel_error") == 0) {
        t->has_error = true;
        t->rms_rel_error = not_negative(value);
    } else if (strcmp(name, "hard_max_error") == 0) {
        t->has_hard = true;
        t->hard_max_error = not_negative(value);
    } else if (strcmp(name, "hard_rms_error") == 0) {
        t->has_hard = true;
        t->hard_rms_error = not_negative(value);
    } else if (strcmp(name, "registers") == 0) {
        t->has_registers = true;
        t->registers = count_of(value, 0);
    } else if (strcmp(name, "spill_bytes") == 0) {
        t->has_spill_bytes = true;
        t->spill_bytes = count_of(value, 0);
    } else if (strcmp(name, "shared_bytes") == 0) {
        t->has_shared_bytes = true;
        t->shared_bytes = count_of(value, 0);
    } else {
        tw_json_fail(value, "Tilewise writes no member of this name");
    }
}

void extras_check(const struct tw_db_trial *t, const struct tw_json *json) {
    if (t->has_time != (t->status == TW_DB_TRIAL_OK))
        tw_json_fail(json, "has the status %s%s", tw_db_trial_status_text(t->status),
                     t->has_time ? ", and a time" : ", but no time");
    else if (!t->has_time && (t->has_interval || t->screened_out))
        tw_json_fail(json, "has no time, but says how well it was measured");
    else if (t->has_interval && !(t->ci_low_us <= t->time_us && t->time_us <= t->ci_high_us))
        tw_json_fail(json, "its time is not within its interval");
}
