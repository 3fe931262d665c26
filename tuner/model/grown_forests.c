#include "tuner/model/grown_forests.h"

static uint64_t known_kinds(const struct tw_model *model) {
    return model->kind_count > 0 ? UINT64_MAX >> (64 - model->kind_count) : 0;
}

uint64_t kinds_asked(const struct tw_model *onto, int forest) {
    return onto->forests[forest].kinds | (forest == 0 ? ~known_kinds(onto) : 0);
}

uint64_t kinds_of_grown(const struct tw_model *onto, uint64_t learnt) {
    uint64_t grown = 0;
    for (int i = 0; i < onto->forest_count; i++)
        grown |= (kinds_asked(onto, i) & learnt) != 0 ? onto->forests[i].kinds : 0;
    return grown;
}
