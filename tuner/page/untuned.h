/* What shapes that were not tuned would get. */
#ifndef TUNER_PAGE_UNTUNED_H
#define TUNER_PAGE_UNTUNED_H

#include "tuner/page/setting.h"

/* Appends a table for every kernel, device and cache policy that the material has results of:
 * shapes around those that were tuned, and `wanted` ones of the same kernel. */
tw_status untuned_add(const struct page_material *material, const struct setting *setting,
                      const struct tw_problem *wanted, int wanted_count, struct tw_text *out,
                      struct tw_error *error);

#endif
