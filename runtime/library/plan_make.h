/* From a request to its plan: choosing, loading, working out. */
#ifndef TW_LIBRARY_PLAN_MAKE_H
#define TW_LIBRARY_PLAN_MAKE_H

#include "runtime/library/library.h"
#include "runtime/library/plan.h"
#include "runtime/select/together.h"

/* Makes a plan, whatever there is already. `read_ms` is what reading the request took so far, which
 * counts as part of making it. The caller owns *out. */
tw_status tw_plan_make(tw_plan **out, tw_library *library, const tw_request *request,
                       double read_ms, tw_error *error);

/* Chooses a configuration as tw_plan_make would, and notes its build as one that there will be.
 * Compiles nothing; for nothing that fails is anything noted. */
void tw_plan_promise(tw_library *library, const tw_request *request);

/* Has the candidates for a request noted, under this index. Compiles nothing. */
void tw_plan_note(tw_library *library, const tw_request *request, struct tw_together *together,
                  size_t index);
/* Notes a configuration's build as one that there will be. */
void tw_plan_promise_build(tw_library *library, const tw_request *request,
                           const struct tw_configuration *configuration);

/* Whether a result is stored for exactly this problem and device. Compiles nothing. */
tw_status tw_plan_is_tuned(tw_library *library, const tw_request *request, bool *tuned,
                           tw_error *error);

#endif
