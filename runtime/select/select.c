#include "runtime/select/select.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/select/ranked.h"
#include "runtime/variant/geometry.h"

/* ---- The problem's own rows ---- */

/* Whether a row can be used as it stands; if not, `error` says why. */
static tw_status usable(struct tw_search *search, const struct tw_catalogue_row *row,
                        struct tw_configuration *configuration, struct tw_error *error) {
    const struct tw_description *d = search->problem->description;
    int64_t values[TW_MAX_SYMBOLS];
    tw_status status = tw_search_note_lack(search, tw_search_current(search, row, error), error);
    int index = tw_description_implementation(d, row->implementation);
    if (status == TW_OK)
        status = tw_search_note_lack(
            search, tw_configuration_parse(configuration, d, index, row->configuration, error),
            error);
    if (status == TW_OK)
        status = tw_search_fits(search, configuration, values, error);
    return status;
}

static bool preferred(const struct tw_catalogue_row *a, const struct tw_catalogue_row *b) {
    if (a->provisional != b->provisional)
        return b->provisional;
    if (a->time_us != b->time_us)
        return a->time_us < b->time_us;
    return strcmp(a->configuration, b->configuration) < 0;
}

/* The first of the rows, in order of preference, that can be used. Nearly always that is the very
 * first, so the best is looked for again and again rather than all sorted once. */
static bool choose(struct tw_search *search, const struct tw_catalogue_row **rows, size_t count,
                   struct tw_selection *selection) {
    while (count > 0 && search->attempts < TW_SELECT_ATTEMPTS && search->lack.status == TW_OK) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (preferred(rows[i], rows[best]))
                best = i;
        const struct tw_catalogue_row *row = rows[best];
        rows[best] = rows[--count];
        struct tw_error refusal;
        tw_status status = usable(search, row, &selection->configuration, &refusal);
        if (status == TW_OK)
            status = tw_search_accept(search, &selection->configuration, &refusal);
        if (status == TW_OK) {
            selection->rule = TW_SELECTED_EXACT;
            selection->row = row;
            return true;
        }
        tw_search_refuse(selection, row, &refusal);
    }
    return false;
}

/* Whether a database that comes first has a row about the same: then that one counts, as long as it
 * is of today's code. */
static bool is_overridden(struct tw_search *search, const struct tw_catalogue_row **rows,
                          size_t count, const struct tw_catalogue_row *row) {
    struct tw_error error;
    for (size_t i = 0; i < count; i++)
        if (rows[i]->implementation == row->implementation && rows[i]->database > row->database &&
            tw_search_note_lack(search, tw_search_current(search, rows[i], &error), &error) ==
                TW_OK)
            return true;
    return false;
}

static bool select_exact(struct tw_search *search, struct tw_selection *selection) {
    enum { MOST = 8 * TW_MAX_IMPLEMENTATIONS }; /* each has few rows about the same */
    const struct tw_catalogue_row *rows[MOST], *own[MOST];
    const struct tw_catalogue *catalogue = search->query->catalogue;
    char key[TW_PROBLEM_KEY_SIZE];
    size_t count = 0, left = 0;
    tw_problem_key(search->problem, key);
    const struct tw_catalogue_row *row =
        tw_catalogue_exact(catalogue, search->problem->description->kernel, key);
    while (row != NULL && count < MOST) {
        if (row->device == search->fingerprint_word && row->cache == search->cache &&
            tw_catalogue_matches(&search->match, row))
            rows[count++] = row;
        row = row->next != 0 ? tw_catalogue_at(catalogue, row->next - 1) : NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_overridden(search, rows, count, rows[i]))
            own[left++] = rows[i];
    return choose(search, own, left, selection);
}

/* ---- Presets, where nothing was measured ---- */

static bool select_fallback(struct tw_search *search, struct tw_selection *selection) {
    int from = 0;
    while (search->lack.status == TW_OK &&
           tw_search_fallback(search, &from, &selection->configuration)) {
        struct tw_error refusal;
        selection->rule = TW_SELECTED_FALLBACK;
        if (tw_search_accept(search, &selection->configuration, &refusal) == TW_OK)
            return true;
    }
    return false;
}

static tw_status select_default(struct tw_search *search, struct tw_selection *selection,
                                struct tw_error *error) {
    const struct tw_description *d = search->problem->description;
    const struct tw_preset *preset;
    struct tw_configuration *configuration = &selection->configuration;
    int64_t values[TW_MAX_SYMBOLS];
    selection->rule = TW_SELECTED_DEFAULT;
    /* Reading the description checked that there is one. */
    int implementation;
    tw_description_preset(d, "default", &implementation, &preset);
    tw_status status = tw_configuration_preset(configuration, d, implementation, preset, error);
    if (status == TW_OK)
        status = tw_search_fits(search, configuration, values, error);
    if (status == TW_OK)
        status = tw_search_accept(search, configuration, error);
    if (status != TW_OK)
        return tw_fail_within(error, status, "the preset default");
    return TW_OK;
}

/* ---- All of them ---- */

static tw_status select_row(struct tw_search *search, struct tw_selection *selection, bool *found,
                            struct tw_error *error) {
    const struct tw_query *query = search->query;
    const struct tw_catalogue *c = query->catalogue;
    search->kernel = tw_catalogue_word(c, query->problem->description->kernel);
    search->fingerprint_word = tw_catalogue_word(c, search->fingerprint);
    search->cache = tw_catalogue_word(c, query->cache);
    search->backend = tw_catalogue_word(c, query->device->backend);
    search->architecture = tw_catalogue_word(c, query->device->architecture);
    for (int i = 0; i < search->problem->description->dimension_count; i++)
        search->log_dimensions[i] = log2((double)search->problem->dimensions[i]);
    *found = select_exact(search, selection);
    return *found ? TW_OK : tw_search_ranked(search, selection, found, error);
}

tw_status tw_select(const struct tw_query *query, struct tw_selection *selection,
                    struct tw_error *error) {
    const struct tw_description *d = query->problem->description;
    struct tw_search search = {.query = query, .problem = query->problem, .device = query->device};
    *selection = (struct tw_selection){0};
    search.match.problem = query->problem;
    search.alike = (struct tw_attribute_match){.problem = query->problem, .alike = true};
    tw_device_values(query->device, search.slots);
    tw_device_fingerprint(query->device, search.fingerprint);
    tw_status status =
        tw_problem_bind(query->problem, search.slots, query->strides, search.values, error);
    if (status != TW_OK)
        return status;
    search.today = query->today != NULL ? query->today : tw_today_create(d);
    if (search.today == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    bool found = false;
    if (query->catalogue != NULL)
        status = select_row(&search, selection, &found, error);
    if (status == TW_OK && !found)
        found = select_fallback(&search, selection);
    if (status == TW_OK && search.lack.status != TW_OK)
        status = tw_fail(error, search.lack.status, "%s", search.lack.message);
    if (status == TW_OK && !found)
        status = select_default(&search, selection, error);
    if (query->today == NULL)
        tw_today_free(search.today);
    return status;
}
