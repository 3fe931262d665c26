/* What a model says: its trees, walked for one configuration or for many at once. */
#include <math.h>

#include "runtime/predict/model.h"
#include "runtime/predict/model_crowd.h"

double tw_model_leaf(const struct tw_model_node *nodes, int root, const double *vector) {
    int at = root;
    while (nodes[at].feature >= 0)
        at = vector[nodes[at].feature] > nodes[at].value ? nodes[at].right : at + 1;
    return nodes[at].value;
}

/* ---- Walking ---- */

/* Those that are not left at what they have: places among the cases. */
struct walkers {
    struct tw_model_case *cases;
    size_t count;
    uint16_t of[TW_MODEL_AT_ONCE];
    /* In which they walk together, as long as they are many; NULL: they never were, or there is no
     * memory for it. Whoever began with them frees it. */
    struct tw_model_crowd *crowd;
};

/* Fewer than so many are faster one by one. */
enum { MANY = 8 };

enum { SIDE_BY_SIDE = 8 };

/* Where a step leads, by what the values are above. The empty statement hides that both of what is
 * added are the same: compilers for x86 then add the comparison as a carry, in place of making a
 * number of it first, which takes a tenth off a plan's own part. */
static inline __attribute__((always_inline)) size_t go_on(size_t at, tw_model_step step,
                                                          const uint16_t *above) {
    size_t same = at;
    __asm__("" : "+r"(same));
    return at + same + ((uint16_t)step < above[step >> 16]);
}

/* What trees that follow each other, from `tree` of the forest on, add to a sum. Where the
 * processor waits for one tree's step it takes another's. */
static inline __attribute__((always_inline)) double walk_eight(const tw_model_step *const *levels,
                                                               const float *leaves, size_t tree,
                                                               double sum, const uint16_t *above,
                                                               int depth) {
#define TW_EACH_SIDE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define TW_BEGIN(k) size_t at##k = tree + k;
#define TW_GO_ON(k) at##k = go_on(at##k, levels[step][at##k], above);
#define TW_ADD(k) sum += (double)leaves[at##k];
    TW_EACH_SIDE(TW_BEGIN)
    for (int step = 0; step < depth; step++) {
        TW_EACH_SIDE(TW_GO_ON)
    }
    TW_EACH_SIDE(TW_ADD)
#undef TW_EACH_SIDE
#undef TW_BEGIN
#undef TW_GO_ON
#undef TW_ADD
    return sum;
}

static inline __attribute__((always_inline)) double walk_one(const tw_model_step *const *levels,
                                                             const float *leaves, size_t tree,
                                                             const uint16_t *above, int depth) {
    size_t at = tree;
    for (int step = 0; step < depth; step++)
        at = go_on(at, levels[step][at], above);
    return (double)leaves[at];
}

/* From the tree `first` of a forest up to `end`. A few trees are walked for all before the next
 * are: they stay where the processor has them at hand, which all of a model's do not. */
static inline __attribute__((always_inline)) void walk_deep(const struct tw_model *model,
                                                            const struct tw_model_forest *forest,
                                                            const struct walkers *walkers,
                                                            int first, int end, int depth) {
    const tw_model_step *levels[TW_MODEL_DEEPEST];
    const float *leaves = &model->leaves[forest->steps];
    for (int level = 0; level < depth; level++)
        levels[level] = &model->steps[tw_model_level(forest, level)];
    int i = first;
    for (; i + SIDE_BY_SIDE <= end; i += SIDE_BY_SIDE)
        for (size_t k = 0; k < walkers->count; k++) {
            struct tw_model_case *seen = &walkers->cases[walkers->of[k]];
            seen->sum = walk_eight(levels, leaves, (size_t)(i - forest->first), seen->sum,
                                   seen->above, depth);
        }
    for (; i < end; i++)
        for (size_t k = 0; k < walkers->count; k++) {
            struct tw_model_case *seen = &walkers->cases[walkers->of[k]];
            seen->sum += walk_one(levels, leaves, (size_t)(i - forest->first), seen->above, depth);
        }
}

static void walk(const struct tw_model *model, const struct tw_model_forest *forest,
                 const struct walkers *walkers, int first, int end) {
    /* For which less is left to be worked out on the way. */
    enum { USUAL_DEPTH = 6, DEEP = 8 };
    if (walkers->crowd != NULL && walkers->count >= MANY &&
        tw_model_crowd_walk(walkers->crowd, forest, first, end, walkers->of, walkers->count))
        return;
    if (forest->depth == USUAL_DEPTH)
        walk_deep(model, forest, walkers, first, end, USUAL_DEPTH);
    else if (forest->depth == DEEP)
        walk_deep(model, forest, walkers, first, end, DEEP);
    else
        walk_deep(model, forest, walkers, first, end, forest->depth);
}

/* ---- Answering ---- */

/* The most that a model may say of an estimate's logarithm: what is beyond has not been measured
 * but made up, and times are to stay numbers. */
static const double MOST_CORRECTION = 20;
/* After so many trees, what they put so far above what is wanted the others do not bring back: of
 * 44,000 predictions for 470 problems none that ended within 1.05 times the best was above 1.36,
 * 1.23, 1.19, 1.11 and 1.07 times it after 48, 104, 200, 400 and 600 trees of 800, and with
 * limits closer than here 3,000 choices were predicted to take as long in the mean
 * (docs/notes/2026-11-27-predicting.md, 2026-11-27-predicting-types.md). */
static const struct {
    int trees;
    double far;
} stages[] = {{48, 1.4},   {104, 1.25}, {200, 1.19}, {300, 1.15},
              {400, 1.12}, {500, 1.1},  {600, 1.08}};

static double corrected(double total_us, double sum) {
    return total_us * exp(fmax(-MOST_CORRECTION, fmin(sum, MOST_CORRECTION)));
}

/* Walks what trees are left for those that are left, and says so. */
static void finish(const struct tw_model *model, const struct tw_model_forest *forest,
                   const struct walkers *walkers, int first) {
    walk(model, forest, walkers, first, forest->end);
    for (size_t k = 0; k < walkers->count; k++) {
        struct tw_model_case *seen = &walkers->cases[walkers->of[k]];
        seen->time_us = corrected(seen->total_us, seen->sum);
        seen->is_rough = false;
    }
}

/* Takes the one that is the best so far to the end, and says how long it takes. */
static double finish_best(const struct tw_model *model, const struct tw_model_forest *forest,
                          struct walkers *walkers, int first) {
    size_t best = 0;
    for (size_t k = 1; k < walkers->count; k++)
        if (walkers->cases[walkers->of[k]].time_us < walkers->cases[walkers->of[best]].time_us)
            best = k;
    const struct walkers alone = {.cases = walkers->cases, .count = 1, .of = {walkers->of[best]}};
    finish(model, forest, &alone, first);
    walkers->of[best] = walkers->of[--walkers->count];
    return walkers->cases[alone.of[0]].time_us;
}

/* Those that take longer are left at what they have. */
static void leave_behind(struct walkers *walkers, double most_us) {
    size_t left = 0;
    for (size_t k = 0; k < walkers->count; k++)
        if (walkers->cases[walkers->of[k]].time_us <= most_us)
            walkers->of[left++] = walkers->of[k];
    walkers->count = left;
}

/* The one that knows problems of the kind; NULL: none does. */
static const struct tw_model_forest *find_forest(const struct tw_model *model, int kind,
                                                 bool beside) {
    for (int i = 0; i < model->forest_count && kind >= 0; i++)
        if (model->forests[i].beside == beside && (model->forests[i].kinds >> kind & 1) != 0)
            return &model->forests[i];
    return NULL;
}

/* One of no kind is asked of the first. */
static const struct tw_model_forest *forest_of(const struct tw_model *model, int kind) {
    const struct tw_model_forest *forest = find_forest(model, kind, false);
    return forest != NULL ? forest : &model->forests[0];
}

double tw_model_doubling(const struct tw_model *model, int kind) {
    return forest_of(model, kind)->doubling;
}

static void begin(struct walkers *walkers, const struct tw_model *model,
                  const struct tw_model_forest *forest, struct tw_model_case *cases, size_t count) {
    walkers->cases = cases;
    walkers->count = count;
    walkers->crowd = count >= MANY ? tw_model_crowd_create(model, cases) : NULL;
    for (size_t i = 0; i < count; i++) {
        walkers->of[i] = (uint16_t)i;
        cases[i].sum = forest->base;
        cases[i].beside = 0;
        cases[i].is_rough = true;
    }
}

/* Asks the other forest too, if there is one, of those that were walked to the end. */
static void ask_beside(const struct tw_model *model, int kind, struct tw_model_case *cases,
                       size_t count, struct tw_model_crowd *crowd) {
    const struct tw_model_forest *forest = find_forest(model, kind, true);
    struct walkers walkers = {.cases = cases, .crowd = crowd};
    if (forest == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        if (!cases[i].is_rough) {
            walkers.of[walkers.count++] = (uint16_t)i;
            cases[i].sum = forest->base;
        }
    walk(model, forest, &walkers, forest->first, forest->end);
    for (size_t k = 0; k < walkers.count; k++)
        cases[walkers.of[k]].beside = cases[walkers.of[k]].sum;
}

void tw_model_answer(const struct tw_model *model, int kind, struct tw_model_case *cases,
                     size_t count) {
    const struct tw_model_forest *forest = forest_of(model, kind);
    struct walkers walkers;
    if (model->steps == NULL)
        return;
    begin(&walkers, model, forest, cases, count);
    finish(model, forest, &walkers, forest->first);
    ask_beside(model, kind, cases, count, walkers.crowd);
    tw_model_crowd_free(walkers.crowd);
}

void tw_model_answer_near(const struct tw_model *model, int kind, struct tw_model_case *cases,
                          size_t count, double near_us) {
    const struct tw_model_forest *forest = forest_of(model, kind);
    struct walkers walkers;
    int done = forest->first;
    if (model->steps == NULL)
        return;
    begin(&walkers, model, forest, cases, count);
    for (size_t i = 0; i < sizeof stages / sizeof *stages && walkers.count > 0; i++) {
        const int end = forest->first + stages[i].trees;
        if (end >= forest->end)
            break;
        walk(model, forest, &walkers, done, end);
        done = end;
        for (size_t k = 0; k < walkers.count; k++) {
            struct tw_model_case *seen = &cases[walkers.of[k]];
            seen->time_us = corrected(seen->total_us, seen->sum);
        }
        leave_behind(&walkers, stages[i].far * near_us);
        if (i == 0 && walkers.count > 0) {
            near_us = fmin(near_us, finish_best(model, forest, &walkers, done));
            leave_behind(&walkers, stages[i].far * near_us);
        }
    }
    finish(model, forest, &walkers, done);
    ask_beside(model, kind, cases, count, walkers.crowd);
    tw_model_crowd_free(walkers.crowd);
}

/* Where there are no steps; of leaves as many digits count as where there are. */
static double add_leaves(const struct tw_model *model, const struct tw_model_forest *forest,
                         const double *vector) {
    double sum = forest->base;
    for (int i = forest->first; i < forest->end; i++)
        sum += (double)(float)tw_model_leaf(model->nodes, model->roots[i], vector);
    return sum;
}

static void see_above(const struct tw_model *model, const double *vector,
                      struct tw_model_case *seen) {
    for (int i = 0; i < model->feature_count; i++)
        seen->above[i] = (uint16_t)tw_model_above(&model->cuts[i], vector[i]);
}

double tw_model_predict(const struct tw_model *model, int kind, const double *vector,
                        const struct tw_estimate *e) {
    struct tw_model_case seen = {.total_us = tw_estimate_total(e)};
    const struct tw_model_forest *forest = forest_of(model, kind);
    struct walkers walkers;
    if (model->steps == NULL)
        return corrected(seen.total_us, add_leaves(model, forest, vector));
    see_above(model, vector, &seen);
    begin(&walkers, model, forest, &seen, 1);
    finish(model, forest, &walkers, forest->first);
    return seen.time_us;
}

double tw_model_predict_beside(const struct tw_model *model, int kind, const double *vector) {
    const struct tw_model_forest *forest = find_forest(model, kind, true);
    struct tw_model_case seen;
    struct walkers walkers;
    if (forest == NULL)
        return 0;
    if (model->steps == NULL)
        return add_leaves(model, forest, vector);
    see_above(model, vector, &seen);
    begin(&walkers, model, forest, &seen, 1);
    walk(model, forest, &walkers, forest->first, forest->end);
    return seen.sum;
}

/* ---- Both forests together ---- */

bool tw_model_has_both(const struct tw_model *model, int kind) {
    return find_forest(model, kind, true) != NULL;
}

static double by_both(double time_us, double beside) {
    return log(time_us) + beside;
}

void tw_model_note_first(struct tw_model_first *first, double time_us, double beside) {
    if (!first->is_there || by_both(time_us, beside) < by_both(first->time_us, first->beside))
        *first = (struct tw_model_first){true, time_us, beside};
}

double tw_model_joined_us(const struct tw_model_first *first, double time_us, double beside) {
    if (!first->is_there)
        return time_us;
    const double longer = by_both(time_us, beside) - by_both(first->time_us, first->beside);
    return first->time_us * exp(longer / 2);
}
