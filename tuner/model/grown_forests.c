#include "tuner/model/grown_forests.h"

bool forest_grows(const struct tw_model *onto, int forest, uint64_t kept, bool others) {
    return (onto->forests[forest].kinds & ~kept) != 0 || (forest == 0 && others);
}

uint64_t kinds_of_grown(const struct tw_model *onto, uint64_t kept, bool others) {
    uint64_t grown = 0;
    for (int i = 0; i < onto->forest_count; i++)
        grown |= forest_grows(onto, i, kept, others) ? onto->forests[i].kinds : 0;
    return grown;
}
