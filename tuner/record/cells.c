#include "tuner/record/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/predict/estimate.h"
#include "runtime/variant/geometry.h"
#include "tuner/search/prior.h"
#include "tuner/session/recorder_open.h"
#include "tuner/session/recorder_trials.h"

/* What is redundant is measured where its estimate is so near to the least. */
static const double HARDLY_GOOD = 2.5;
/* And what a model knows, where its prediction is. A model of 40% of the problems, which 40% were
 * added to so, was as good for the last 20% as one of all trials of all 80%, from 39% of the trials
 * of those that were added (docs/notes/2026-11-22-predicting.md). */
static const double UNLIKELY = 1.5;

struct known {
    struct recording *recording;
    struct page *page;
    bool *is_known;
};

static void see_known(void *context, const struct trial *trial) {
    const struct known *known = context;
    const struct recording *r = known->recording;
    for (int i = 0; i < r->portfolio_count; i++)
        if (tw_configuration_equal(known->page->problem->description, &r->portfolio[i],
                                   &trial->configuration))
            known->is_known[i] = true;
}

/* ---- What a model says ---- */

struct opinion {
    const struct tw_model *model; /* NULL: there is none */
    struct prior *prior;
    int kind; /* of the problem, among those that the model is about */
};

static tw_status ask_for_opinion(struct recording *r, const struct page *page,
                                 struct opinion *opinion) {
    *opinion = (struct opinion){0};
    if (r->options->models == NULL)
        return TW_OK;
    tw_status status = prior_model(r->options->models, page->problem, r->device, r->options->cache,
                                   &opinion->model, r->error);
    if (status != TW_OK || opinion->model == NULL)
        return status;
    opinion->kind = tw_model_kind(opinion->model, page->problem);
    return prior_create(&opinion->prior, page->problem, page->values, r->device, NULL,
                        opinion->model, 0, r->error);
}

/* What the model was never shown has to be measured for it to know. */
static bool is_familiar(const struct opinion *opinion, const struct tw_description *d,
                        const struct tw_configuration *configuration, const char *text) {
    const struct tw_model *model = opinion->model;
    const char *implementation = d->implementations[configuration->implementation].name;
    for (int i = 0; i < model->configuration_count; i++)
        if (strcmp(model->configurations[i].implementation, implementation) == 0 &&
            strcmp(model->configurations[i].configuration, text) == 0)
            return model->configurations[i].kinds >> opinion->kind & 1;
    return false;
}

static tw_status predict(struct recording *r, const struct page *page,
                         const struct opinion *opinion, struct cell *cell) {
    const struct tw_description *d = page->problem->description;
    const struct tw_configuration *configuration = &r->portfolio[cell->configuration];
    struct tw_text text = {0};
    if (opinion->model == NULL)
        return TW_OK;
    tw_configuration_text(d, configuration, &text);
    tw_status status = text.failed ? tw_fail(r->error, TW_NO_MEMORY, "out of memory") : TW_OK;
    if (status == TW_OK && is_familiar(opinion, d, configuration, text.data))
        cell->predicted_us = prior_time_us(opinion->prior, configuration);
    tw_text_free(&text);
    return status;
}

/* ---- The cells ---- */

static int compare_cells(const void *left, const void *right) {
    const struct cell *a = left, *b = right;
    return a->estimate_us != b->estimate_us ? (a->estimate_us < b->estimate_us ? -1 : 1)
                                            : a->configuration - b->configuration;
}

/* TW_RESOURCE and TW_INVALID: it has no place here. */
static tw_status make_cell(struct recording *r, const struct page *page, int index,
                           struct cell *cell) {
    const struct tw_description *d = page->problem->description;
    const struct tw_configuration *configuration = &r->portfolio[index];
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_features features;
    struct tw_estimate estimate;
    *cell = (struct cell){.configuration = index};
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

/* Those that fit and are not on record. */
static tw_status make_cells(struct recording *r, struct page *page, const bool *is_known) {
    struct opinion opinion;
    tw_status status = ask_for_opinion(r, page, &opinion);
    for (int i = 0; i < r->portfolio_count && status == TW_OK; i++) {
        if (r->standings[i].left_out)
            continue;
        if (is_known[i]) {
            r->result->known++;
            continue;
        }
        struct cell *cell = &page->cells[page->count];
        status = make_cell(r, page, i, cell);
        if (status == TW_OK)
            status = predict(r, page, &opinion, cell);
        if (status == TW_OK)
            page->count++;
        else if (status != TW_NO_MEMORY)
            status = TW_OK;
    }
    prior_free(opinion.prior);
    return status;
}

static tw_status lay_out(struct recording *r, struct page *page) {
    bool *is_known = calloc((size_t)r->portfolio_count, sizeof *is_known);
    struct known known = {r, page, is_known};
    int64_t slots[TW_DEVICE_SLOTS];
    page->cells = calloc((size_t)r->portfolio_count, sizeof *page->cells);
    if (is_known == NULL || page->cells == NULL) {
        free(is_known);
        return tw_fail(r->error, TW_NO_MEMORY, "out of memory");
    }
    tw_device_values(r->device, slots);
    tw_status status = tw_problem_bind(page->problem, slots, NULL, page->values, r->error);
    if (status == TW_OK)
        status = recorder_open(&page->recorder, r->db, r->db_path, page->problem, r->device,
                               r->options->cache, r->error);
    if (status == TW_OK)
        status = recorder_known(&page->recorder, see_known, &known, r->error);
    page->recorder.sources = &r->builds.sources;
    if (status == TW_OK)
        status = make_cells(r, page, is_known);
    thin_out(r, page);
    for (int i = 0; i < page->count && status == TW_OK; i++) {
        struct cell *cell = &page->cells[i];
        cell->build = builds_get(&r->builds, r->device, page->problem,
                                 &r->portfolio[cell->configuration], page->values, r->error);
        if (cell->build == NULL)
            status = r->error->status;
    }
    qsort(page->cells, (size_t)page->count, sizeof *page->cells, compare_cells);
    free(is_known);
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
