#include "tuner/formats/values.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tuner/formats/extras.h"

double results_file_time(const struct tw_json *json, double unit_ms) {
    static const double most_ms = 1e12; /* thirty years */
    double time = tw_json_number(json) * unit_ms;
    if (json->item != NULL && !(time > 0 && time < most_ms))
        tw_json_fail(json, "no time that a kernel can take");
    return extras_microseconds(time);
}

int64_t results_file_moment(const struct tw_json *json) {
    if (json->item == NULL)
        return 0;
    struct tm moment = {0};
    int hours = 0, minutes = 0, used = 0;
    char separator = ' ';
    const char *text = tw_json_string(json);
    if (sscanf(text, "%4d-%2d-%2d%c%2d:%2d:%2d%n", &moment.tm_year, &moment.tm_mon, &moment.tm_mday,
               &separator, &moment.tm_hour, &moment.tm_min, &moment.tm_sec, &used) != 7 ||
        used == 0 || moment.tm_year < 1970) {
        tw_json_fail(json, "expected a moment, as in 2024-01-31 13:45:00+00:00");
        return 0;
    }
    text += used;
    text += *text == '.' ? 1 + strspn(text + 1, "0123456789") : 0;
    char sign = *text;
    if ((sign == '+' || sign == '-') && sscanf(text + 1, "%2d:%2d", &hours, &minutes) < 1)
        tw_json_fail(json, "expected a time zone, as in +00:00");
    moment.tm_year -= 1900;
    moment.tm_mon -= 1;
    int64_t shift = hours * 3600 + minutes * 60;
    return (int64_t)timegm(&moment) + (sign == '-' ? shift : -shift);
}

int64_t results_file_repeats(const struct tw_json *json) {
    int64_t count = 0;
    tw_json_expect_array(json);
    if (!cJSON_IsArray(json->item))
        return 1;
    for (const cJSON *time = json->item->child; time != NULL; time = time->next, count++)
        if (!cJSON_IsNumber(time))
            tw_json_fail(json, "expected a list of numbers");
    return count > 0 ? count : 1;
}
