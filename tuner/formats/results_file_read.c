/* The results of a file, whichever its format, held against a description. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "runtime/base/text.h"
#include "tuner/exchange/allowed.h"
#include "tuner/exchange/canonical_json.h"
#include "tuner/formats/extras.h"
#include "tuner/formats/results_file.h"

/* ---- Whose configurations they are ---- */

/* Names of parameters: the strings of a list, or the names of an object's members. */
static const char *name_of(const cJSON *item) {
    return item->string != NULL ? item->string : cJSON_IsString(item) ? item->valuestring : "";
}

static const cJSON *parameter_names(const struct results_file *file) {
    if (file->format == RESULTS_FILE_IS_KERNEL_TUNER)
        return cJSON_GetObjectItemCaseSensitive(file->json, "tune_params_keys");
    return cJSON_GetObjectItemCaseSensitive(file->results->child, "configuration");
}

/* TW_INVALID unless the names are those of the implementation's parameters. */
static tw_status match_names(const cJSON *names, const struct tw_implementation *implementation,
                             struct tw_error *error) {
    bool found[TW_MAX_PARAMETERS] = {false};
    for (const cJSON *item = names != NULL ? names->child : NULL; item != NULL; item = item->next) {
        int i = 0;
        while (i < implementation->parameter_count &&
               strcmp(implementation->parameters[i].name, name_of(item)) != 0)
            i++;
        if (i == implementation->parameter_count)
            return tw_fail(error, TW_INVALID, "%s has no parameter \"%.60s\"", implementation->name,
                           name_of(item));
        if (found[i])
            return tw_fail(error, TW_INVALID, "the parameter %s is given twice", name_of(item));
        found[i] = true;
    }
    for (int i = 0; i < implementation->parameter_count; i++)
        if (!found[i])
            return tw_fail(error, TW_INVALID, "%s has a parameter %s, which the file has not",
                           implementation->name, implementation->parameters[i].name);
    return TW_OK;
}

static tw_status no_match(const struct tw_description *d, const cJSON *names, const char *origin,
                          struct tw_error *error) {
    struct tw_text list = {0};
    char line[300] = "";
    for (const cJSON *item = names != NULL ? names->child : NULL; item != NULL; item = item->next)
        tw_text_print(&list, "%s%s", list.length > 0 ? ", " : "", name_of(item));
    if (list.length > 0 && !list.failed)
        tw_printable_copy(list.data, line, sizeof line);
    tw_text_free(&list);
    return tw_fail(error, TW_INVALID,
                   "%s: no implementation of %s has just the file's parameters (%s); with "
                   "--implementation NAME it is said what is amiss with one",
                   origin, d->kernel, line);
}

static tw_status match_any(const struct tw_description *d, const cJSON *names, const char *origin,
                           int *implementation, struct tw_error *error) {
    struct tw_error first = {0};
    int matches = 0;
    for (int i = 0; i < d->implementation_count; i++)
        if (match_names(names, &d->implementations[i], matches == 0 && i == 0 ? &first : NULL) ==
                TW_OK &&
            matches++ == 0)
            *implementation = i;
    if (matches == 0 && d->implementation_count == 1)
        return tw_fail(error, TW_INVALID, "%s: %s", origin, first.message);
    if (matches == 0)
        return no_match(d, names, origin, error);
    return matches == 1 ? TW_OK
                        : tw_fail(error, TW_INVALID,
                                  "%s: several implementations of %s have these parameters; "
                                  "choose with --implementation NAME",
                                  origin, d->kernel);
}

tw_status results_file_implementation(const struct results_file *file,
                                      const struct tw_description *d, const char *name,
                                      int *implementation, struct tw_error *error) {
    const cJSON *names;
    if (file->format == RESULTS_FILE_IS_T4 && file->results->child == NULL)
        return tw_fail(error, TW_INVALID, "%s: has no results", file->origin);
    names = parameter_names(file);
    if (cJSON_GetArraySize(names) > TW_MAX_PARAMETERS)
        return tw_fail(error, TW_INVALID, "%s: has more parameters than the %d a kernel may have",
                       file->origin, TW_MAX_PARAMETERS);
    if (name == NULL)
        return match_any(d, names, file->origin, implementation, error);
    *implementation = tw_description_implementation(d, name);
    if (*implementation < 0)
        return tw_fail(error, TW_INVALID, "%s: %s has no implementation \"%.60s\"", file->origin,
                       d->kernel, name);
    tw_status status = match_names(names, &d->implementations[*implementation], error);
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "%s", file->origin);
}

tw_status results_file_problem(const struct results_file *file,
                               const struct tw_description *description, struct tw_problem *problem,
                               struct tw_error *error) {
    const struct results_file_header *header = &file->header;
    tw_status status = tw_problem_parse(problem, description, header->shape, error);
    const cJSON *word = header->attributes != NULL ? header->attributes->child : NULL;
    for (; word != NULL && status == TW_OK; word = word->next)
        status = cJSON_IsString(word)
                     ? tw_problem_set(problem, word->string, word->valuestring, error)
                     : tw_fail(error, TW_INVALID, "its attributes are not all words");
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "%s", file->origin);
}

/* ---- Results ---- */

static void add_value(struct tw_text *text, const cJSON *value) {
    if (cJSON_IsString(value))
        canonical_string(text, value->valuestring);
    else if (cJSON_IsBool(value))
        tw_text_print(text, "%d", cJSON_IsTrue(value));
    else
        canonical_number(text, value->valuedouble);
}

/* The members that are parameters, in canonical form, if the description allows them. */
static tw_status read_configuration(const struct tw_json *json, const struct tw_problem *problem,
                                    int index, struct tw_text *out, struct tw_error *error) {
    const struct tw_implementation *implementation = &problem->description->implementations[index];
    struct tw_text text = {0};
    struct tw_configuration configuration;
    tw_text_print(&text, "{");
    for (int i = 0; i < implementation->parameter_count; i++) {
        const char *name = implementation->parameters[i].name;
        struct tw_json value = tw_json_member(json, name);
        if (value.item != NULL && !cJSON_IsString(value.item) && !cJSON_IsBool(value.item))
            tw_json_number(&value);
        if (json->context->status != TW_OK) {
            tw_text_free(&text);
            return json->context->status;
        }
        tw_text_print(&text, "%s\"%s\":", i > 0 ? "," : "", name);
        add_value(&text, value.item);
    }
    tw_text_print(&text, "}");
    tw_status status = text.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                   : allowed_configuration(problem, implementation->name, text.data,
                                                           &configuration, error);
    tw_text_free(&text);
    if (status != TW_OK)
        return tw_fail_within(error, status, "%s", json->context->origin);
    tw_configuration_text(problem->description, &configuration, out);
    return out->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

static void where_is(const struct results_file *file, const cJSON *item, size_t place, char *where,
                     size_t size) {
    char name[200];
    if (item->string != NULL)
        snprintf(where, size, "%.200s: cache \"%s\"", file->origin,
                 tw_printable_copy(item->string, name, sizeof name));
    else
        snprintf(where, size, "%.200s: results[%zu]", file->origin, place);
}

static tw_status read_result(struct results_file *file, const cJSON *item, size_t place,
                             const struct tw_problem *problem, int implementation,
                             struct tw_error *error) {
    char where[512];
    where_is(file, item, place, where, sizeof where);
    struct tw_json_context context = {.origin = where, .error = error};
    struct tw_json root = tw_json_root(&context, item), configuration;
    struct tw_db_trial trial;
    struct tw_text text = {0};
    if (file->format == RESULTS_FILE_IS_KERNEL_TUNER)
        kernel_tuner_read(&root, &trial, &configuration);
    else
        t4_read(&root, file->unit_ms, &trial, &configuration);
    tw_status status = context.status;
    /* The members of an entry are its parameters and times; a configuration has nothing else. */
    if (status == TW_OK && file->format == RESULTS_FILE_IS_T4)
        status = match_names(configuration.item,
                             &problem->description->implementations[implementation], error) == TW_OK
                     ? TW_OK
                     : tw_fail_within(error, TW_INVALID, "%s", where);
    if (status == TW_OK)
        status = read_configuration(&configuration, problem, implementation, &text, error);
    if (status != TW_OK) {
        tw_text_free(&text);
        return status;
    }
    if (file->format == RESULTS_FILE_IS_KERNEL_TUNER && file->header.is_ours &&
        cJSON_GetObjectItemCaseSensitive(item, EXTRAS_STATUS) == NULL)
        file->continued = true;
    trial.configuration = text.data;
    file->trials[file->count++] = trial;
    return TW_OK;
}

static int by_configuration(const void *a, const void *b) {
    const struct tw_db_trial *left = *(const struct tw_db_trial *const *)a;
    const struct tw_db_trial *right = *(const struct tw_db_trial *const *)b;
    int order = strcmp(left->configuration, right->configuration);
    /* All are of one list. */
    return order != 0 ? order : (left > right) - (left < right);
}

/* Leaves out all but the first of each configuration. Kernel Tuner lists in T4 each step of a
 * search, also those to where it had been; a cache has no key twice. */
static tw_status drop_repeated(struct results_file *file, struct tw_error *error) {
    struct tw_db_trial **sorted = malloc((file->count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", file->origin);
    for (size_t i = 0; i < file->count; i++)
        sorted[i] = &file->trials[i];
    qsort(sorted, file->count, sizeof *sorted, by_configuration);
    struct tw_db_trial *first = NULL;
    for (size_t i = 0; i < file->count; i++) {
        if (first == NULL || strcmp(first->configuration, sorted[i]->configuration) != 0) {
            first = sorted[i];
        } else if (file->format == RESULTS_FILE_IS_KERNEL_TUNER) {
            tw_fail(error, TW_INVALID, "%s: cache: the configuration %.300s is there twice",
                    file->origin, first->configuration);
            free(sorted);
            return TW_INVALID;
        } else {
            /* No run has this id: a mark. */
            sorted[i]->run = -1;
        }
    }
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < file->count; i++) {
        if (file->trials[i].run == -1)
            free((char *)file->trials[i].configuration);
        else
            file->trials[kept++] = file->trials[i];
    }
    file->repeated = file->count - kept;
    file->count = kept;
    return TW_OK;
}

tw_status results_file_read(struct results_file *file, const struct tw_problem *problem,
                            int implementation, struct tw_error *error) {
    size_t room = (size_t)cJSON_GetArraySize(file->results), place = 0;
    file->trials = calloc(room + 1, sizeof *file->trials);
    if (file->trials == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", file->origin);
    tw_status status = TW_OK;
    for (const cJSON *item = file->results->child; item != NULL && status == TW_OK;
         item = item->next)
        status = read_result(file, item, place++, problem, implementation, error);
    if (status == TW_OK && file->count == 0)
        status = tw_fail(error, TW_INVALID, "%s: has no results", file->origin);
    return status == TW_OK ? drop_repeated(file, error) : status;
}
