#include "runtime/predict/model_crowd.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_IN_GROUP = 64, MOST_GROUPS = TW_MODEL_AT_ONCE / MOST_IN_GROUP };

/* Cases that are told apart by the bits of a word. */
struct group {
    size_t count;
    uint16_t of[MOST_IN_GROUP];          /* cases, by their bits */
    uint64_t *above;                     /* for every cut those that are above it */
    size_t first[TW_MODEL_MAX_FEATURES]; /* among these a feature's first cut */
};

struct tw_model_crowd {
    const struct tw_model *model;
    struct tw_model_case *cases;
    size_t most_cuts, room; /* of a feature; in a group's `above` */
    size_t group_count;
    struct group *groups[MOST_GROUPS];
    bool is_in[TW_MODEL_AT_ONCE];
    uint8_t group[TW_MODEL_AT_ONCE], bit[TW_MODEL_AT_ONCE]; /* of a case that is in */
};

struct tw_model_crowd *tw_model_crowd_create(const struct tw_model *model,
                                             struct tw_model_case *cases) {
    struct tw_model_crowd *crowd = calloc(1, sizeof *crowd);
    if (crowd == NULL)
        return NULL;
    crowd->model = model;
    crowd->cases = cases;
    for (int i = 0; i < model->feature_count; i++) {
        const size_t count = (size_t)model->cuts[i].count;
        crowd->most_cuts = count > crowd->most_cuts ? count : crowd->most_cuts;
        crowd->room += count + 1;
    }
    crowd->room += 2 * (crowd->most_cuts + 1) + 1;
    return crowd;
}

void tw_model_crowd_free(struct tw_model_crowd *crowd) {
    if (crowd == NULL)
        return;
    for (size_t i = 0; i < MOST_GROUPS; i++)
        if (crowd->groups[i] != NULL) {
            free(crowd->groups[i]->above);
            free(crowd->groups[i]);
        }
    free(crowd);
}

/* ---- Who is above what ---- */

/* A register's worth of features at once. */
static void find_range(const struct tw_model_crowd *crowd, const struct group *group,
                       uint16_t *least, uint16_t *most) {
    enum { AT_ONCE = 8 };
    for (int i = 0; i < crowd->model->feature_count; i += AT_ONCE) {
        uint16_t low[AT_ONCE], high[AT_ONCE];
        memcpy(low, &crowd->cases[group->of[0]].above[i], sizeof low);
        memcpy(high, low, sizeof high);
        for (size_t k = 1; k < group->count; k++) {
            const uint16_t *above = &crowd->cases[group->of[k]].above[i];
            for (int j = 0; j < AT_ONCE; j++) {
                low[j] = above[j] < low[j] ? above[j] : low[j];
                high[j] = above[j] > high[j] ? above[j] : high[j];
            }
        }
        memcpy(&least[i], low, sizeof low);
        memcpy(&most[i], high, sizeof high);
    }
}

/* In `at_least`, those that are above so many cuts or more, of a feature's `count`. */
static void part_by(const struct tw_model_crowd *crowd, const struct group *group, int feature,
                    size_t least, size_t most, size_t count, uint64_t *at_least) {
    memset(at_least, 0xff, (least + 1) * sizeof *at_least);
    memset(at_least + least + 1, 0, (count - least) * sizeof *at_least);
    for (size_t k = 0; k < group->count; k++)
        at_least[crowd->cases[group->of[k]].above[feature]] |= UINT64_C(1) << k;
    for (size_t i = most; i > least + 1; i--)
        at_least[i - 1] |= at_least[i];
}

/* A feature that is the same of all needs no room of its own: of one flight of stairs, which are
 * all above and then none, it has a part. */
static void fill(const struct tw_model_crowd *crowd, struct group *group) {
    const size_t step = crowd->most_cuts + 1;
    uint16_t least[TW_MODEL_MAX_FEATURES], most[TW_MODEL_MAX_FEATURES];
    size_t next = 2 * step;
    find_range(crowd, group, least, most);
    memset(group->above, 0xff, step * sizeof *group->above);
    memset(group->above + step, 0, step * sizeof *group->above);
    for (int i = 0; i < crowd->model->feature_count; i++) {
        const size_t count = (size_t)crowd->model->cuts[i].count;
        if (least[i] == most[i]) {
            group->first[i] = step - least[i];
            continue;
        }
        part_by(crowd, group, i, least[i], most[i], count, group->above + next);
        group->first[i] = next + 1;
        next += count + 1;
    }
    /* A step of no tree's, below a leaf, asks for a feature's first cut, which need not be there.
     */
    group->above[next] = 0;
}

/* Puts those into as few groups as hold them, of about as many each. */
static bool gather(struct tw_model_crowd *crowd, const uint16_t *of, size_t count) {
    const size_t groups = (count + MOST_IN_GROUP - 1) / MOST_IN_GROUP;
    memset(crowd->is_in, 0, sizeof crowd->is_in);
    for (size_t i = 0, next = 0; i < groups; i++) {
        struct group *group = crowd->groups[i];
        if (group == NULL) {
            group = crowd->groups[i] = calloc(1, sizeof *group);
            if (group == NULL)
                return false;
        }
        if (group->above == NULL)
            group->above = malloc(crowd->room * sizeof *group->above);
        if (group->above == NULL)
            return false;
        group->count = 0;
        for (const size_t end = count * (i + 1) / groups; next < end; next++) {
            crowd->is_in[of[next]] = true;
            crowd->group[of[next]] = (uint8_t)i;
            crowd->bit[of[next]] = (uint8_t)group->count;
            group->of[group->count++] = of[next];
        }
        fill(crowd, group);
    }
    crowd->group_count = groups;
    return true;
}

/* ---- Adding ---- */

enum { LANES = 2, AT_ONCE = 4 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef uint64_t lane_bits __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* For each of four bits a lane that is all bits or none. */
#define TW_LANE(bit) ((bit) != 0 ? UINT64_MAX : 0)
#define TW_FOUR(i)                                                                                 \
    {                                                                                              \
        {TW_LANE((i)&1), TW_LANE((i)&2)}, {                                                        \
            TW_LANE((i)&4), TW_LANE((i)&8)                                                         \
        }                                                                                          \
    }
static const lane_bits masks[1 << AT_ONCE][AT_ONCE / LANES] = {
    TW_FOUR(0),  TW_FOUR(1),  TW_FOUR(2),  TW_FOUR(3), TW_FOUR(4),  TW_FOUR(5),
    TW_FOUR(6),  TW_FOUR(7),  TW_FOUR(8),  TW_FOUR(9), TW_FOUR(10), TW_FOUR(11),
    TW_FOUR(12), TW_FOUR(13), TW_FOUR(14), TW_FOUR(15)};
#undef TW_FOUR
#undef TW_LANE

/* Adds the value to those of the set, and 0 to the others of a group: how many a set is of is
 * guessed wrong mostly, so that going from one to the next takes longer. */
static inline void add(lanes *sums, size_t count, uint64_t set, double value) {
    const lane_bits bits = (lane_bits)(lanes){value, value};
    for (size_t i = 0; i < count; i += AT_ONCE, set >>= AT_ONCE, sums += AT_ONCE / LANES)
        for (int k = 0; k < AT_ONCE / LANES; k++)
            sums[k] += (lanes)(bits & masks[set & ((1 << AT_ONCE) - 1)][k]);
}

/* ---- Walking ---- */

enum { SIDE_BY_SIDE = 8 };

/* Parts of a group, each at a node of a level. */
struct parts {
    uint64_t sets[SIDE_BY_SIDE * MOST_IN_GROUP + 1];
    uint32_t at[SIDE_BY_SIDE * MOST_IN_GROUP + 1];
};

/* Empty parts are written too, and over: the processor would guess wrong where one is left out. */
static size_t go_on(const struct group *group, const tw_model_step *level,
                    const struct parts *parts, size_t count, struct parts *next) {
    size_t to = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = parts->at[i];
        const tw_model_step step = level[at];
        const uint64_t above = group->above[group->first[step >> 16] + (uint16_t)step];
        const uint64_t left = parts->sets[i] & ~above, right = parts->sets[i] & above;
        next->sets[to] = left;
        next->at[to] = 2 * at;
        to += left != 0;
        next->sets[to] = right;
        next->at[to] = 2 * at + 1;
        to += right != 0;
    }
    return to;
}

/* Of the whole set; the others of the group add 0. */
static void walk(const struct tw_model *model, const struct group *group,
                 const struct tw_model_forest *forest, int first, int end, uint64_t whole,
                 lanes *sums) {
    struct parts parts[2];
    const float *leaves = &model->leaves[forest->steps];
    for (int i = first; i < end; i += SIDE_BY_SIDE) {
        struct parts *here = &parts[0], *next = &parts[1];
        size_t count = 0;
        for (int tree = i; tree < i + SIDE_BY_SIDE && tree < end; tree++) {
            here->sets[count] = whole;
            here->at[count++] = (uint32_t)(tree - forest->first);
        }
        for (int level = 0; level < forest->depth; level++) {
            struct parts *was = here;
            count = go_on(group, &model->steps[tw_model_level(forest, level)], here, count, next);
            here = next;
            next = was;
        }
        for (size_t k = 0; k < count; k++)
            add(sums, group->count, here->sets[k], (double)leaves[here->at[k]]);
    }
}

/* Whether they would be in fewer groups by themselves, or some are in none. */
static bool has_to_gather(const struct tw_model_crowd *crowd, const uint16_t *of, size_t count) {
    if (crowd->group_count == 0 || count + MOST_IN_GROUP <= crowd->group_count * MOST_IN_GROUP)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!crowd->is_in[of[i]])
            return true;
    return false;
}

bool tw_model_crowd_walk(struct tw_model_crowd *crowd, const struct tw_model_forest *forest,
                         int first, int end, const uint16_t *of, size_t count) {
    uint64_t sets[MOST_GROUPS] = {0};
    if (has_to_gather(crowd, of, count) && !gather(crowd, of, count)) {
        crowd->group_count = 0;
        return false;
    }
    for (size_t i = 0; i < count; i++)
        sets[crowd->group[of[i]]] |= UINT64_C(1) << crowd->bit[of[i]];
    for (size_t g = 0; g < crowd->group_count; g++) {
        const struct group *group = crowd->groups[g];
        lanes sums[MOST_IN_GROUP / LANES] = {{0}};
        for (size_t k = 0; k < group->count; k++)
            sums[k / LANES][k % LANES] = crowd->cases[group->of[k]].sum;
        walk(crowd->model, group, forest, first, end, sets[g], sums);
        for (size_t k = 0; k < group->count; k++)
            crowd->cases[group->of[k]].sum = sums[k / LANES][k % LANES];
    }
    return true;
}
