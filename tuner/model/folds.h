/* Which of a fit's problems are left out together. */
#ifndef TUNER_MODEL_FOLDS_H
#define TUNER_MODEL_FOLDS_H

#include "tuner/model/samples.h"

/* The fold of each problem, from 0 on. They are drawn by the problems' names, so that the order of
 * the database does not matter, and are as large as each other to within one problem: of those that
 * have trials, and of those that an earlier model stands for. */
tw_status model_folds(const struct model_samples *samples, int count, int *folds,
                      struct tw_error *error);

#endif
