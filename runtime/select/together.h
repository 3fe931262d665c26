/* Which binaries to compile for sizes that are known together, before any of them is launched. */
#ifndef TW_SELECT_TOGETHER_H
#define TW_SELECT_TOGETHER_H

#include <stddef.h>

#include "runtime/description/configuration.h"
#include "runtime/select/ranking.h"

/* Problems that are looked at together; more are noted and ignored. */
enum { TW_TOGETHER_PROBLEMS = 32 };

/* What is there is preferred to a compile, where it was chosen for all sizes at once, up to so many
 * times the share that is tolerated: another one would have been chosen if it were worth it, and
 * what is predicted of one size by itself is less sure than that. */
enum { TW_TOGETHER_TIMES = 4 };

/* What each binary loses at each of the problems, by what is predicted. */
struct tw_together;

struct tw_together_choice {
    size_t problem; /* the configuration was a candidate for: tw_query.problem_index */
    struct tw_configuration configuration;
};

/* NULL: no memory. */
struct tw_together *tw_together_create(void);
/* NULL is fine. */
void tw_together_free(struct tw_together *together);

/* Adds a problem by its candidates. What its query says to be loaded is there for all of them. */
void tw_together_note(struct tw_together *together, const struct tw_ranking *ranking);

/* Chooses the binaries, beside those that are there, that leave least to be desired at all of the
 * problems. One more is chosen as long as that makes the logarithms of the times less by `worth`,
 * summed over the problems. A problem that loses more than `alone` will have a binary of its own
 * compiled later, and counts as `worth`, if it does not lose more. Returns how many, at most
 * `room`.
 */
size_t tw_together_choose(struct tw_together *together, double worth, double alone,
                          struct tw_together_choice *chosen, size_t room);

#endif
