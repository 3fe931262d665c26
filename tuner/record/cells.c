#include "tuner/record/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/predict/estimate.h"
#include "runtime/variant/geometry.h"
#include "tuner/record/opinion.h"
#include "tuner/session/recorder_open.h"
#include "tuner/session/recorder_trials.h"

/* What is redundant is measured where its estimate is so near to the least. */
static const double HARDLY_GOOD = 2.5;
/* And what a model knows, where its prediction is. A model of 40% of the problems, which 40% were
 * added to so, was as good for the last 20% as one of all trials of all 80%, from 39% of the trials
 * of those that were added (docs/notes/2026-11-22-predicting.md). */
static const double UNLIKELY = 1.5;

/* Where only so many are measured: those of a binary that are predicted to take least. What differs
 * in its launch alone a model tells apart by little. */
enum { MOST_LAUNCHES = 3 };

/* A launch's parameters cost no compiler: each configuration is also measured with those of the
 * least estimate, if that is so much less. */
static const double WORTH_VARYING = 0.98;

/* What is on record of a problem. */
struct known {
    struct tw_configuration *all;
    int count, room;
    bool failed;
};

static void see_known(void *context, const struct trial *trial) {
    struct known *known = context;
    if (known->count == known->room) {
        int room = known->room > 0 ? 2 * known->room : 64;
        struct tw_configuration *grown = realloc(known->all, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            known->failed = true;
            return;
        }
        known->all = grown;
        known->room = room;
    }
    known->all[known->count++] = trial->configuration;
}

static bool is_among(const struct tw_description *d, const struct tw_configuration *all, int count,
                     const struct tw_configuration *configuration) {
    for (int i = 0; i < count; i++)
        if (tw_configuration_equal(d, &all[i], configuration))
            return true;
    return false;
}

/* ---- The cells ---- */

static int compare_cells(const void *left, const void *right) {
    const struct cell *a = left, *b = right;
    return a->estimate_us != b->estimate_us ? (a->estimate_us < b->estimate_us ? -1 : 1)
                                            : a->place - b->place;
}

/* TW_RESOURCE and TW_INVALID: it has no place here. */
static tw_status make_cell(struct recording *r, const struct page *page, int place,
                           const struct tw_configuration *configuration, struct cell *cell) {
    const struct tw_description *d = page->problem->description;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_features features;
    struct tw_estimate estimate;
    *cell = (struct cell){.place = place, .configuration = *configuration};
    memcpy(values, page->values, sizeof values);
    tw_status status = tw_configuration_bind(d, configuration, values, r->error);
    if (status == TW_OK)
        status = tw_configuration_check(d, configuration, values, r->error);
    if (status == TW_OK)
        status = tw_implementation_fits(&d->implementations[configuration->implementation], values,
                                        r->device, r->error);
    if (status == TW_OK)
        status =
            tw_features_of(page->problem, configuration, values, r->device, 0, &features, r->error);
    if (status != TW_OK)
        return status;
    tw_estimate_of(&features, r->device, &estimate);
    cell->estimate_us = tw_estimate_total(&estimate);
    cell->redundant = features.redundant;
    return TW_OK;
}

static int compare_predicted(const void *left, const void *right) {
    const struct cell *a = left, *b = right;
    return a->predicted_us != b->predicted_us ? (a->predicted_us < b->predicted_us ? -1 : 1)
                                              : a->place - b->place;
}

/* Of the binary, among the first cells. */
static int count_launches(const struct page *page, int kept, const struct cell *cell) {
    int count = 0;
    for (int i = 0; i < kept; i++)
        count += tw_configuration_same_binary(page->problem->description,
                                              &page->cells[i].configuration, &cell->configuration);
    return count;
}

static int compare_turns(const void *left, const void *right) {
    const struct cell *a = left, *b = right;
    return a->turn != b->turn ? a->turn - b->turn : compare_predicted(left, right);
}

/* Estimates order an implementation's configurations, but know nothing of tensor cores: of i8 and
 * e4m3 in nn 1,901 of 2,443 trials went to plain tiles, up to ten times as slow
 * (docs/notes/2026-11-28-predicting-odd-sizes.md). So each implementation has its turn, and where a
 * model tells what it knows apart, what it knows has one together. */
static void take_turns(struct page *page) {
    enum { WHAT_IT_KNOWS = TW_MAX_IMPLEMENTATIONS };
    int turns[TW_MAX_IMPLEMENTATIONS + 1] = {0};
    for (int i = 0; i < page->count; i++) {
        struct cell *cell = &page->cells[i];
        cell->turn =
            turns[page->by_model && !cell->unheard_of ? (int)WHAT_IT_KNOWS
                                                      : cell->configuration.implementation]++;
    }
    qsort(page->cells, (size_t)page->count, sizeof *page->cells, compare_turns);
}

/* Leaves those that are predicted to take least, and of them what is not on record: another run
 * goes on where this one stops. */
static void keep_promising(struct recording *r, struct page *page) {
    int kept = 0, left = 0;
    qsort(page->cells, (size_t)page->count, sizeof *page->cells, compare_predicted);
    take_turns(page);
    for (int i = 0; i < page->count; i++) {
        const struct cell cell = page->cells[i];
        if (kept < r->options->trials && count_launches(page, kept, &cell) < MOST_LAUNCHES)
            page->cells[kept++] = cell;
        else
            r->result->beyond += !cell.known;
    }
    for (int i = 0; i < kept; i++)
        if (!page->cells[i].known)
            page->cells[left++] = page->cells[i];
    page->count = left;
}

/* Leaves out what can hardly be good: what the description calls redundant does as something else
 * does, which need not be in the portfolio, but where it is estimated to take long it is because it
 * suits this problem badly. */
static void thin_out(struct recording *r, struct page *page) {
    double least_estimate = INFINITY, least_predicted = INFINITY;
    int kept = 0;
    for (int i = 0; i < page->count; i++) {
        const struct cell *cell = &page->cells[i];
        least_estimate = fmin(least_estimate, cell->estimate_us);
        if (cell->predicted_us > 0)
            least_predicted = fmin(least_predicted, cell->predicted_us);
    }
    for (int i = 0; i < page->count; i++) {
        const struct cell *cell = &page->cells[i];
        if (cell->predicted_us > UNLIKELY * least_predicted)
            r->result->unlikely++;
        else if (!cell->redundant || cell->estimate_us <= HARDLY_GOOD * least_estimate)
            page->cells[kept++] = *cell;
    }
    page->count = kept;
}

/* The cell with parameters of the launch that are estimated to suit the problem best. */
static tw_status vary(struct recording *r, const struct page *page, const struct cell *cell,
                      struct cell *varied) {
    const struct tw_implementation *in =
        &page->problem->description->implementations[cell->configuration.implementation];
    *varied = *cell;
    for (int i = 0; i < in->parameter_count; i++)
        for (int k = 0; in->parameters[i].launch && k < in->parameters[i].count; k++) {
            struct tw_configuration other = varied->configuration;
            struct cell made;
            other.values[i] = in->parameters[i].values[k];
            tw_status status = make_cell(r, page, cell->place, &other, &made);
            if (status == TW_NO_MEMORY)
                return status;
            if (status == TW_OK && !made.redundant && made.estimate_us < varied->estimate_us)
                *varied = made;
        }
    varied->varied = varied->estimate_us < WORTH_VARYING * cell->estimate_us;
    return TW_OK;
}

static tw_status add_cell(struct recording *r, struct page *page, const struct opinion *opinion,
                          const struct cell *cell) {
    struct cell *added = &page->cells[page->count];
    tw_status status = TW_OK;
    *added = *cell;
    added->unheard_of = !opinion->knows[cell->configuration.implementation];
    if (r->options->trials == 0)
        status = opinion_ask(opinion, &added->configuration, &added->predicted_us, r->error);
    else
        added->predicted_us =
            added->unheard_of ? added->estimate_us : opinion_guess(opinion, &added->configuration);
    page->count += status == TW_OK;
    return status;
}

/* A configuration of the portfolio, and what it may be varied to: what fits and is not there. */
static tw_status add_cells(struct recording *r, struct page *page, const struct opinion *opinion,
                           const struct known *known, int place) {
    const struct tw_description *d = page->problem->description;
    const struct tw_configuration *configuration = &r->portfolio[place];
    struct cell cell, varied;
    tw_status status = make_cell(r, page, place, configuration, &cell);
    if (status != TW_OK)
        return status == TW_NO_MEMORY ? status : TW_OK;
    cell.known = is_among(d, known->all, known->count, configuration);
    r->result->known += cell.known;
    if (!cell.known || r->options->trials > 0)
        status = add_cell(r, page, opinion, &cell);
    if (status == TW_OK)
        status = vary(r, page, &cell, &varied);
    if (status != TW_OK || !varied.varied)
        return status;
    varied.known = is_among(d, known->all, known->count, &varied.configuration);
    if ((varied.known && r->options->trials == 0) ||
        is_among(d, r->portfolio, r->portfolio_count, &varied.configuration))
        return TW_OK;
    for (int i = 0; i < page->count; i++)
        if (tw_configuration_equal(d, &page->cells[i].configuration, &varied.configuration))
            return TW_OK;
    return add_cell(r, page, opinion, &varied);
}

static tw_status make_cells(struct recording *r, struct page *page, const struct known *known) {
    struct opinion opinion;
    tw_status status = opinion_open(&opinion, r->options->models, page->problem, page->values,
                                    r->device, r->options->cache, r->error);
    if (status == TW_OK && opinion.model == NULL && r->options->trials > 0)
        status = opinion_open(&opinion, r->options->other_models, page->problem, page->values,
                              r->device, r->options->cache, r->error);
    for (int i = 0; i < r->portfolio_count && status == TW_OK; i++)
        if (!r->standings[i].left_out)
            status = add_cells(r, page, &opinion, known, i);
    page->by_model = r->options->trials > 0 && opinion.model != NULL;
    r->result->by_model += page->by_model;
    opinion_close(&opinion);
    return status;
}

static tw_status lay_out(struct recording *r, struct page *page) {
    struct known known = {0};
    int64_t slots[TW_DEVICE_SLOTS];
    page->cells = calloc(2 * (size_t)r->portfolio_count, sizeof *page->cells);
    if (page->cells == NULL)
        return tw_fail(r->error, TW_NO_MEMORY, "out of memory");
    tw_device_values(r->device, slots);
    tw_status status = tw_problem_bind(page->problem, slots, NULL, page->values, r->error);
    if (status == TW_OK)
        status = recorder_open(&page->recorder, r->db, r->db_path, page->problem, r->device,
                               r->options->cache, r->error);
    if (status == TW_OK)
        status = recorder_known(&page->recorder, see_known, &known, r->error);
    if (status == TW_OK && known.failed)
        status = tw_fail(r->error, TW_NO_MEMORY, "out of memory");
    page->recorder.sources = &r->builds.sources;
    if (status == TW_OK)
        status = make_cells(r, page, &known);
    free(known.all);
    if (r->options->trials > 0)
        keep_promising(r, page);
    else
        thin_out(r, page);
    for (int i = 0; i < page->count && status == TW_OK; i++) {
        struct cell *cell = &page->cells[i];
        cell->build = builds_get(&r->builds, r->device, page->problem, &cell->configuration,
                                 page->values, r->error);
        if (cell->build == NULL)
            status = r->error->status;
    }
    qsort(page->cells, (size_t)page->count, sizeof *page->cells, compare_cells);
    return status;
}

void page_free(struct recording *r, struct page *page) {
    for (int i = 0; i < page->count; i++)
        builds_release(&r->builds, page->cells[i].build);
    free(page->cells);
    *page = (struct page){0};
}

tw_status page_open(struct recording *r, const struct tw_problem *problem, struct page *page) {
    *page = (struct page){.problem = problem};
    return lay_out(r, page);
}
