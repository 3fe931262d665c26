/* What an application would get if this run had never been. It is tried first, and nothing is
 * stored before: whatever ends a run, and however soon, no application is to be slower for it. */
#include <stdlib.h>

#include "runtime/select/select.h"
#include "tuner/session/state.h"

static tw_status accept(void *session, const struct tw_configuration *configuration,
                        struct tw_error *error) {
    return session_allows(session, configuration)
               ? TW_OK
               : tw_fail(error, TW_INVALID, "--fix asks for others");
}

tw_status untuned_find(struct session *s) {
    /* Of a number of trials the first is the preset default, as ever. */
    if (s->options->budget_trials > 0 || s->options->trials_only)
        return TW_OK;
    const struct tw_query query = {.catalogue = s->options->hints,
                                   .problem = s->problem,
                                   .device = s->device,
                                   .cache = s->options->cache,
                                   .accept = accept,
                                   .context = s};
    struct tw_selection selection;
    struct tw_error why;
    tw_status status = tw_select(&query, &selection, &why);
    if (status == TW_NO_MEMORY)
        return tw_fail(s->error, status, "%s", why.message);
    /* Where there is nothing, every result is better. */
    s->untuned.has = status == TW_OK;
    s->untuned.configuration = selection.configuration;
    return TW_OK;
}

bool untuned_is(const struct session *s, const struct tw_configuration *configuration) {
    return s->untuned.has && tw_configuration_equal(s->problem->description,
                                                    &s->untuned.configuration, configuration);
}

bool untuned_pending(const struct session *s) {
    return s->untuned.has && !s->untuned.tried;
}

/* It may be queued as a preset or a hint. */
static struct candidate *take_queued(struct session *s) {
    struct queue others = {0};
    struct candidate *candidate, *found = NULL;
    while ((candidate = queue_take(&s->first)) != NULL) {
        if (found == NULL && untuned_is(s, &candidate->configuration))
            found = candidate;
        else
            queue_add(&others, candidate);
    }
    s->first = others;
    return found;
}

tw_status untuned_queue(struct session *s) {
    if (!untuned_pending(s))
        return TW_OK;
    struct candidate *candidate = take_queued(s);
    if (candidate == NULL) {
        candidate = calloc(1, sizeof *candidate);
        if (candidate == NULL)
            return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
        candidate->configuration = s->untuned.configuration;
        candidate->point = space_nearest(s->space, &candidate->configuration);
        if (candidate->point != SPACE_NONE)
            s->hints[s->hint_count++] = candidate->point;
    }
    queue_put_back(&s->first, candidate);
    return TW_OK;
}
