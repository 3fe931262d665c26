/* What came of a comparison, for programs. */
#include "tuner/compare/compare.h"
#include "tuner/json/json.h"

static void add_ratio(cJSON *json, const char *name, const struct ratio *ratio) {
    if (ratio->rounds == 0)
        return;
    static const char *const verdicts[] = {[RATIO_LESS] = "faster",
                                           [RATIO_MORE] = "slower",
                                           [RATIO_EQUAL] = "as fast",
                                           [RATIO_UNKNOWN] = "unknown"};
    cJSON *one = cJSON_AddObjectToObject(json, name);
    cJSON_AddNumberToObject(one, "ratio", ratio->median);
    cJSON_AddNumberToObject(one, "low", ratio->interval.low);
    cJSON_AddNumberToObject(one, "high", ratio->interval.high);
    cJSON_AddNumberToObject(one, "confidence", ratio->interval.confidence);
    cJSON_AddStringToObject(one, "verdict", verdicts[ratio_verdict(ratio)]);
}

static void add_letter(cJSON *json, const char *name, int side) {
    const char letter[2] = {compare_letter(side), '\0'};
    cJSON_AddStringToObject(json, name, letter);
}

static cJSON *problem_object(const struct compare_sides *sides, int problem) {
    char text[TW_PROBLEM_KEY_SIZE];
    cJSON *json = cJSON_CreateObject();
    tw_problem_text(&sides->problems[problem].problem, text);
    cJSON_AddStringToObject(json, "kernel", sides->problems[problem].problem.description->kernel);
    cJSON_AddStringToObject(json, "problem", text);
    return json;
}

static cJSON *side_object(const struct compare_sides *sides, const struct compared_problem *problem,
                          int which) {
    const struct compare_problem *p = &sides->problems[problem->problem];
    const struct tw_description *d = p->problem.description;
    const struct compare_entry *entry = &p->entries[which];
    const struct compared_side *side = &problem->sides[which];
    cJSON *json = cJSON_CreateObject();
    add_letter(json, "side", which);
    cJSON_AddBoolToObject(json, "measured", side->measured);
    if (entry->has) {
        cJSON_AddStringToObject(json, "implementation",
                                d->implementations[entry->configuration.implementation].name);
        json_add(json, "configuration", json_configuration(d, &entry->configuration));
    }
    if (entry->has && side->same_as != which)
        add_letter(json, "same_as", side->same_as);
    if (!side->measured) {
        const char *message = entry->has ? side->failure : entry->why_not;
        cJSON_AddStringToObject(json, "message", message[0] != '\0' ? message : "has no result");
        return json;
    }
    cJSON_AddNumberToObject(json, "time_us", side->time_us);
    cJSON_AddNumberToObject(json, "ci_low_us", side->interval.low);
    cJSON_AddNumberToObject(json, "ci_high_us", side->interval.high);
    add_ratio(json, "over_best", &side->over_best);
    add_ratio(json, "over_first", &side->over_first);
    return json;
}

static cJSON *problems_array(const struct compare_sides *sides, const struct comparison_result *r) {
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < r->count; i++) {
        const struct compared_problem *problem = &r->problems[i];
        cJSON *json = problem_object(sides, problem->problem);
        cJSON_AddNumberToObject(json, "rounds", problem->rounds);
        if (problem->best >= 0) {
            add_letter(json, "best", problem->best);
            cJSON_AddNumberToObject(json, "within_1_percent", compare_within(sides, problem, 0.01));
            cJSON_AddNumberToObject(json, "within_3_percent", compare_within(sides, problem, 0.03));
        }
        cJSON *list = cJSON_AddArrayToObject(json, "sides");
        for (int s = 0; s < sides->count; s++)
            json_append(list, side_object(sides, problem, s));
        json_append(array, json);
    }
    return array;
}

static cJSON *alone_array(const struct compare_sides *sides) {
    cJSON *array = cJSON_CreateArray();
    for (int p = 0; p < sides->problem_count; p++) {
        int only;
        if (compare_entries(sides, p, &only) > 1)
            continue;
        cJSON *json = problem_object(sides, p);
        if (only >= 0)
            add_letter(json, "side", only);
        for (int i = 0; i < sides->count; i++)
            if (sides->problems[p].entries[i].why_not[0] != '\0')
                cJSON_AddStringToObject(json, "message", sides->problems[p].entries[i].why_not);
        json_append(array, json);
    }
    return array;
}

tw_status compare_print_json(const struct compare_sides *sides, const char *const *words,
                             const struct comparison_result *r, struct tw_error *error) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "device", sides->device->id);
    cJSON_AddStringToObject(json, "device_name", sides->device->name);
    cJSON_AddStringToObject(json, "cache", sides->cache);
    cJSON_AddStringToObject(json, "method",
                            "median of the ratios of interleaved rounds; interval between order "
                            "statistics (Conover, Practical Nonparametric Statistics, 3.2)");
    cJSON_AddBoolToObject(json, "interrupted", r->interrupted);
    cJSON *list = cJSON_AddArrayToObject(json, "sides");
    for (int i = 0; i < sides->count; i++) {
        cJSON *side = cJSON_CreateObject();
        add_letter(side, "side", i);
        cJSON_AddStringToObject(side, "word", words[i]);
        cJSON_AddNumberToObject(side, "problems", r->common);
        add_ratio(side, "over_best", &r->means[i].over_best);
        add_ratio(side, "over_first", &r->means[i].over_first);
        json_append(list, side);
    }
    json_add(json, "problems", problems_array(sides, r));
    json_add(json, "alone", alone_array(sides));
    return json_print(json, error);
}
