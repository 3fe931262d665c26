#include "tuner/report/front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/json/json.h"
#include "tuner/report/report.h"

struct front_entry *front_add(struct front *front, const char *compute) {
    if (front->count == FRONT_MOST)
        return NULL;
    struct front_entry *entry = &front->entries[front->count++];
    *entry = (struct front_entry){0};
    snprintf(entry->word, sizeof entry->word, "%s",
             strcmp(compute, "default") == 0 ? "f32" : compute);
    return entry;
}

static int by_time(const void *a, const void *b) {
    const struct front_entry *x = a, *y = b;
    return x->time_us != y->time_us ? (x->time_us > y->time_us) - (x->time_us < y->time_us)
                                    : strcmp(x->word, y->word);
}

/* Whether `a` is nowhere worse than `b`, and somewhere better. */
static bool is_better(const struct front_entry *a, const struct front_entry *b) {
    const double mine[] = {a->time_us, a->max, a->rms, a->hard_max, a->hard_rms};
    const double theirs[] = {b->time_us, b->max, b->rms, b->hard_max, b->hard_rms};
    const int count = a->has_hard && b->has_hard ? 5 : 3;
    bool better = false;
    for (int i = 0; i < count; i++) {
        if (mine[i] > theirs[i])
            return false;
        better |= mine[i] < theirs[i];
    }
    return better;
}

void front_find(struct front *front) {
    qsort(front->entries, (size_t)front->count, sizeof front->entries[0], by_time);
    for (int i = 0; i < front->count; i++) {
        struct front_entry *entry = &front->entries[i];
        entry->on_front = true;
        for (int j = 0; j < front->count; j++)
            entry->on_front &= !is_better(&front->entries[j], entry);
    }
}

static const char *error_text(bool is_known, double error, char text[32]) {
    snprintf(text, 32, is_known ? "%.2g" : "-", error);
    return text;
}

void front_table(const struct front *front, const char *title) {
    printf("%s\n  %-12s %11s  %9s %9s  %9s %9s\n", title, "compute", "time", "max error", "rms",
           "hard max", "hard rms");
    for (int i = 0; i < front->count; i++) {
        const struct front_entry *e = &front->entries[i];
        char time[32], max[32], rms[32], hard_max[32], hard_rms[32];
        report_time(e->time_us, time);
        printf("  %-12s %11s  %9s %9s  %9s %9s%s\n", e->word, time,
               error_text(e->has_error, e->max, max), error_text(e->has_error, e->rms, rms),
               error_text(e->has_hard, e->hard_max, hard_max),
               error_text(e->has_hard, e->hard_rms, hard_rms),
               e->on_front ? "" : "  others are as fast and as exact");
    }
    printf("  errors on uniform inputs are relative to the answer's root mean square, on hard ones "
           "to the sizes summed\n");
}

cJSON *front_json(const struct front *front) {
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < front->count; i++) {
        const struct front_entry *e = &front->entries[i];
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "compute", e->word);
        cJSON_AddNumberToObject(json, "time_us", e->time_us);
        if (e->has_error) {
            cJSON_AddNumberToObject(json, "max_rel_error", e->max);
            cJSON_AddNumberToObject(json, "rms_rel_error", e->rms);
        }
        if (e->has_hard) {
            cJSON_AddNumberToObject(json, "hard_max_error", e->hard_max);
            cJSON_AddNumberToObject(json, "hard_rms_error", e->hard_rms);
        }
        cJSON_AddBoolToObject(json, "on_front", e->on_front);
        json_append(array, json);
    }
    return array;
}
