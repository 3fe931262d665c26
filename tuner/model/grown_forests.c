#include "tuner/model/grown_forests.h"

void learn_kind(struct learnt_kinds *learnt, int asked_as) {
    if (asked_as < 0)
        learnt->others = true;
    else
        learnt->kinds |= UINT64_C(1) << asked_as;
}

bool forest_grows(const struct tw_model *onto, int forest, const struct learnt_kinds *learnt) {
    return (onto->forests[forest].kinds & learnt->kinds) != 0 || (forest == 0 && learnt->others);
}

uint64_t kinds_of_grown(const struct tw_model *onto, const struct learnt_kinds *learnt) {
    uint64_t grown = 0;
    for (int i = 0; i < onto->forest_count; i++)
        grown |= forest_grows(onto, i, learnt) ? onto->forests[i].kinds : 0;
    return grown;
}
