#include "runtime/select/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/select/current.h"
#include "runtime/variant/geometry.h"

static const struct {
    const char *word;
    const char *text;
} rules[] = {
#define TW_SELECTION_ROW(name, word, text) {word, text},
    TW_SELECTION_RULES(TW_SELECTION_ROW)
#undef TW_SELECTION_ROW
};

const char *tw_selection_word(enum tw_selection_rule rule) {
    return rules[rule].word;
}

const char *tw_selection_text(enum tw_selection_rule rule) {
    return rules[rule].text;
}

void tw_selection_problem(const struct tw_description *description,
                          const struct tw_catalogue_row *row, char text[TW_PROBLEM_KEY_SIZE]) {
    struct tw_problem problem;
    if (tw_problem_read(&problem, description, row->problem, NULL) == TW_OK)
        tw_problem_text(&problem, text);
    else
        snprintf(text, TW_PROBLEM_KEY_SIZE, "%s", row->problem);
}

/* A row that may be chosen, with what orders it. */
struct candidate {
    const struct tw_catalogue_row *row;
    enum tw_selection_rule rule;
    double distance;
};

struct search {
    const struct tw_query *query;
    const struct tw_problem *problem;
    const struct tw_device_info *device;
    double log_dimensions[TW_MAX_DIMENSIONS];
    int attempts;                   /* configurations that were offered */
    int64_t values[TW_MAX_SYMBOLS]; /* bound for the problem */
    int64_t slots[TW_DEVICE_SLOTS]; /* of the device */
    char fingerprint[256];          /* likewise */
    struct tw_today *today;
    struct tw_attribute_match match;
    struct tw_error lack; /* of memory, which says nothing about a row: TW_NO_MEMORY once it fell */
};

/* Keeps what a lack of memory is told with. */
static tw_status note_lack(struct search *search, tw_status status, const struct tw_error *error) {
    if (status == TW_NO_MEMORY)
        search->lack = *error;
    return status;
}

static tw_status fits(const struct search *search, const struct tw_configuration *configuration,
                      struct tw_error *error) {
    const struct tw_description *d = search->problem->description;
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(values, search->values, sizeof values);
    tw_status status = tw_configuration_bind(d, configuration, values, error);
    if (status == TW_OK)
        status = tw_configuration_check(d, configuration, values, error);
    if (status == TW_OK)
        status = tw_implementation_fits(&d->implementations[configuration->implementation], values,
                                        search->device, error);
    return status;
}

/* Whether a row is of today's code; if not, `error` says why. On this very device it is what would
 * be compiled now that counts. Of another one with this architecture, what is not on record is as
 * here, but for the number of its units. */
static tw_status is_current(struct search *search, const struct tw_catalogue_row *row,
                            struct tw_error *error) {
    struct tw_problem problem;
    int64_t slots[TW_DEVICE_SLOTS];
    memcpy(slots, search->slots, sizeof slots);
    if (strcmp(row->device, search->fingerprint) != 0) {
        if (row->slots != NULL)
            memcpy(slots, row->slots, sizeof slots);
        else
            slots[TW_SLOT_SM_COUNT] = row->units;
    }
    const struct tw_stored stored = {.backend = row->backend,
                                     .device = slots,
                                     .implementation = row->implementation,
                                     .template_hash = row->template_hash,
                                     .source = row->source,
                                     .judge = row->judge,
                                     .configuration = row->configuration};
    tw_status status = tw_problem_read(&problem, search->problem->description, row->problem, error);
    return status == TW_OK ? tw_today_check(search->today, &problem, &stored, error) : status;
}

/* Whether a row can be used as it stands; if not, `error` says why. */
static tw_status usable(struct search *search, const struct tw_catalogue_row *row,
                        struct tw_configuration *configuration, struct tw_error *error) {
    const struct tw_description *d = search->problem->description;
    tw_status status = note_lack(search, is_current(search, row, error), error);
    int index = tw_description_implementation(d, row->implementation);
    if (status == TW_OK)
        status = note_lack(
            search, tw_configuration_parse(configuration, d, index, row->configuration, error),
            error);
    if (status == TW_OK)
        status = fits(search, configuration, error);
    return status;
}

static double distance_to(const struct search *search, const struct tw_catalogue_row *row) {
    double sum = 0;
    for (int i = 0; i < row->dimension_count; i++) {
        double difference = search->log_dimensions[i] - row->log_dimensions[i];
        sum += difference * difference;
    }
    return sqrt(sum);
}

static tw_status accept(struct search *search, const struct tw_configuration *configuration,
                        struct tw_error *error) {
    if (search->query->accept == NULL)
        return TW_OK;
    search->attempts++;
    return note_lack(search, search->query->accept(search->query->context, configuration, error),
                     error);
}

static bool preferred(const struct candidate *a, const struct candidate *b) {
    if (a->rule != b->rule)
        return a->rule < b->rule;
    if (a->distance != b->distance)
        return a->distance < b->distance;
    if (a->row->provisional != b->row->provisional)
        return b->row->provisional;
    if (a->row->time_us != b->row->time_us)
        return a->row->time_us < b->row->time_us;
    int order = strcmp(a->row->problem, b->row->problem);
    if (order == 0)
        order = strcmp(a->row->device, b->row->device);
    return order != 0 ? order < 0 : strcmp(a->row->configuration, b->row->configuration) < 0;
}

/* The first of the candidates, in order of preference, that can be used. Nearly always that is the
 * very first, so the best is looked for again and again rather than all sorted once. */
static bool choose(struct search *search, struct candidate *candidates, size_t count,
                   struct tw_selection *selection) {
    while (count > 0 && search->attempts < TW_SELECT_ATTEMPTS && search->lack.status == TW_OK) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (preferred(&candidates[i], &candidates[best]))
                best = i;
        const struct candidate chosen = candidates[best];
        candidates[best] = candidates[--count];
        struct tw_error refusal;
        tw_status status = usable(search, chosen.row, &selection->configuration, &refusal);
        if (status == TW_OK)
            status = accept(search, &selection->configuration, &refusal);
        if (status == TW_OK) {
            selection->rule = chosen.rule;
            selection->row = chosen.row;
            selection->distance = chosen.distance;
            return true;
        }
        if (selection->refused == NULL) {
            selection->refused = chosen.row;
            snprintf(selection->refusal, sizeof selection->refusal, "%.250s", refusal.message);
        }
    }
    return false;
}

/* The words that rows must have to count: the catalogue's own, NULL where no row has them. */
struct wanted {
    const char *kernel, *device, *cache, *backend, *architecture;
};

static struct wanted find_wanted(const struct search *search) {
    const struct tw_query *query = search->query;
    const struct tw_catalogue *c = query->catalogue;
    return (struct wanted){.kernel = tw_catalogue_word(c, query->problem->description->kernel),
                           .device = tw_catalogue_word(c, search->fingerprint),
                           .cache = tw_catalogue_word(c, query->cache),
                           .backend = tw_catalogue_word(c, query->device->backend),
                           .architecture = tw_catalogue_word(c, query->device->architecture)};
}

/* Whether a database that comes first has a row about the same: then that one counts, as long as it
 * is of today's code. */
static bool is_overridden(struct search *search, const struct candidate *candidates, size_t count,
                          const struct tw_catalogue_row *row) {
    struct tw_error error;
    for (size_t i = 0; i < count; i++)
        if (candidates[i].row->implementation == row->implementation &&
            candidates[i].row->database > row->database &&
            note_lack(search, is_current(search, candidates[i].row, &error), &error) == TW_OK)
            return true;
    return false;
}

static bool select_exact(struct search *search, const char *key, const struct wanted *wanted,
                         struct tw_selection *selection) {
    enum { MOST = 256 }; /* a kernel has 32 implementations, each with few rows about the same */
    struct candidate candidates[MOST];
    const struct tw_catalogue *catalogue = search->query->catalogue;
    size_t count = 0;
    const struct tw_catalogue_row *row =
        tw_catalogue_exact(catalogue, search->problem->description->kernel, key);
    while (row != NULL && count < MOST) {
        if (row->device == wanted->device && row->cache == wanted->cache &&
            tw_catalogue_matches(&search->match, row))
            candidates[count++] = (struct candidate){.row = row, .rule = TW_SELECTED_EXACT};
        row = row->next != 0 ? tw_catalogue_at(catalogue, row->next - 1) : NULL;
    }
    size_t left = 0;
    struct candidate own[MOST];
    for (size_t i = 0; i < count; i++)
        if (!is_overridden(search, candidates, count, candidates[i].row))
            own[left++] = candidates[i];
    return choose(search, own, left, selection);
}

static tw_status select_nearest(struct search *search, const struct wanted *wanted,
                                struct tw_selection *selection, bool *found,
                                struct tw_error *error) {
    const struct tw_catalogue *catalogue = search->query->catalogue;
    const struct tw_description *d = search->problem->description;
    size_t size = tw_catalogue_size(catalogue), count = 0;
    struct candidate *candidates = malloc((size > 0 ? size : 1) * sizeof *candidates);
    if (candidates == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < size; i++) {
        const struct tw_catalogue_row *row = tw_catalogue_at(catalogue, i);
        bool same_device = row->device == wanted->device;
        bool same_architecture =
            row->backend == wanted->backend && row->architecture == wanted->architecture;
        if (row->kernel != wanted->kernel || row->cache != wanted->cache ||
            row->dimension_count != d->dimension_count || !(same_device || same_architecture) ||
            !tw_catalogue_matches(&search->match, row))
            continue;
        double distance = distance_to(search, row);
        if (same_device && distance == 0)
            continue; /* refused already */
        candidates[count++] =
            (struct candidate){.row = row,
                               .rule = same_device ? TW_SELECTED_NEAREST : TW_SELECTED_ARCHITECTURE,
                               .distance = distance};
    }
    *found = choose(search, candidates, count, selection);
    free(candidates);
    return TW_OK;
}

static tw_status try_preset(struct search *search, int implementation,
                            const struct tw_preset *preset, struct tw_selection *selection,
                            struct tw_error *error) {
    struct tw_configuration *configuration = &selection->configuration;
    configuration->implementation = implementation;
    memcpy(configuration->values, preset->values, sizeof configuration->values);
    tw_status status = fits(search, configuration, error);
    return status == TW_OK ? accept(search, configuration, error) : status;
}

/* A rule that cannot be evaluated for this problem does not hold, and a preset that does not fit is
 * passed over: these are preferences, and `default` always works. */
static bool select_fallback(struct search *search, struct tw_selection *selection) {
    const struct tw_description *d = search->problem->description;
    for (int i = 0; i < d->fallback_count && search->lack.status == TW_OK; i++) {
        const struct tw_fallback *fallback = &d->fallbacks[i];
        int64_t holds = 0;
        if (tw_expression_evaluate(fallback->when, search->values, &holds) != TW_EVALUATED ||
            holds == 0)
            continue;
        selection->rule = TW_SELECTED_FALLBACK;
        struct tw_error refusal;
        if (try_preset(search, fallback->implementation, fallback->preset, selection, &refusal) ==
            TW_OK)
            return true;
    }
    return false;
}

static tw_status select_default(struct search *search, struct tw_selection *selection,
                                struct tw_error *error) {
    const struct tw_preset *preset;
    int implementation;
    selection->rule = TW_SELECTED_DEFAULT;
    /* Reading the description checked that there is one. */
    tw_description_preset(search->problem->description, "default", &implementation, &preset);
    tw_status status = try_preset(search, implementation, preset, selection, error);
    if (status != TW_OK)
        return tw_fail_within(error, status, "the preset default");
    return TW_OK;
}

static tw_status select_row(struct search *search, struct tw_selection *selection, bool *found,
                            struct tw_error *error) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(search->problem, key);
    const struct wanted wanted = find_wanted(search);
    for (int i = 0; i < search->problem->description->dimension_count; i++)
        search->log_dimensions[i] = log2((double)search->problem->dimensions[i]);
    *found = select_exact(search, key, &wanted, selection);
    return *found ? TW_OK : select_nearest(search, &wanted, selection, found, error);
}

tw_status tw_select(const struct tw_query *query, struct tw_selection *selection,
                    struct tw_error *error) {
    const struct tw_description *d = query->problem->description;
    struct search search = {.query = query, .problem = query->problem, .device = query->device};
    *selection = (struct tw_selection){0};
    search.match.problem = query->problem;
    tw_device_values(query->device, search.slots);
    tw_device_fingerprint(query->device, search.fingerprint);
    tw_status status =
        tw_problem_bind(query->problem, search.slots, query->strides, search.values, error);
    if (status != TW_OK)
        return status;
    search.today = tw_today_create(d);
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
    tw_today_free(search.today);
    return status;
}
