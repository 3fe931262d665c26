/* What calls of products have in common: the words of a problem that the types of matrices ask for.
 */
#ifndef TW_LIBRARY_PRODUCT_H
#define TW_LIBRARY_PRODUCT_H

#include "runtime/description/problem.h"

/* The description's argument of this name; NULL: it has none. */
const struct tw_argument *tw_product_argument(const struct tw_description *d, const char *name);
/* The word for the type that an argument has so far. */
const char *tw_product_type(const struct tw_problem *problem, const struct tw_argument *argument);

/* Gives A, B and C these types, each NULL for what goes with those before it. What does not go
 * together is refused when the problem is bound. */
tw_status tw_product_set_types(struct tw_problem *problem, const char *a_type, const char *b_type,
                               const char *c_type, struct tw_error *error);

extern const char *const tw_product_transposes[4];  /* by tw_transposes */
extern const char *const tw_product_activations[5]; /* by tw_activation */

#endif
