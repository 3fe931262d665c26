/* Products of one shape under several promises of errors, beside each other. */
#ifndef TUNER_PAGE_FRONTS_H
#define TUNER_PAGE_FRONTS_H

#include "runtime/base/text.h"
#include "tuner/page/material.h"

/* Appends a section for each set of subjects that differ in `compute` alone, where at least two of
 * them have a result; nothing where there is none. */
void fronts_add(const struct page_material *material, struct tw_text *out);

#endif
