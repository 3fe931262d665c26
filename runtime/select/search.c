#include "runtime/select/search.h"

#include <stdio.h>
#include <string.h>

#include "runtime/variant/geometry.h"

tw_status tw_search_note_lack(struct tw_search *search, tw_status status,
                              const struct tw_error *error) {
    if (status == TW_NO_MEMORY && error != NULL)
        search->lack = *error;
    else if (status == TW_NO_MEMORY)
        tw_fail(&search->lack, status, "out of memory");
    return status;
}

tw_status tw_search_allows(const struct tw_search *search,
                           const struct tw_configuration *configuration, uint64_t held,
                           int64_t *values, struct tw_error *error) {
    const struct tw_description *d = search->problem->description;
    memcpy(values, search->values, sizeof search->values);
    tw_status status = tw_configuration_allow(d, configuration, held, values, error);
    return status == TW_OK
               ? tw_implementation_runs(&d->implementations[configuration->implementation],
                                        search->device, error)
               : status;
}

tw_status tw_search_fits(const struct tw_search *search,
                         const struct tw_configuration *configuration, int64_t *values,
                         struct tw_error *error) {
    tw_status status = tw_search_allows(search, configuration, 0, values, error);
    return status == TW_OK
               ? tw_implementation_fits(
                     &search->problem->description->implementations[configuration->implementation],
                     values, search->device, error)
               : status;
}

static bool is_worked_out(const struct tw_implementation *in) {
    for (int i = 0; i < in->parameter_count; i++)
        if (in->parameters[i].untuned_of != NULL)
            return true;
    return false;
}

/* What cannot be had here, or is no value of the parameter, is left as it was. */
bool tw_search_adapt(const struct tw_search *search, struct tw_configuration *configuration) {
    const struct tw_implementation *in =
        &search->problem->description->implementations[configuration->implementation];
    int64_t values[TW_MAX_SYMBOLS], bound[TW_MAX_SYMBOLS];
    bool changed = false;
    if (!is_worked_out(in))
        return false;
    memcpy(values, search->values, sizeof values);
    for (int i = 0; i < in->parameter_count; i++)
        values[in->parameters[i].slot] = configuration->values[i];
    for (int i = 0; i < in->parameter_count; i++) {
        const struct tw_parameter *p = &in->parameters[i];
        const int64_t before = configuration->values[i];
        int64_t after = before;
        if (p->untuned_of == NULL ||
            tw_expression_evaluate(p->untuned_of, values, &after) != TW_EVALUATED ||
            after == before || !tw_parameter_has(p, after))
            continue;
        configuration->values[i] = after;
        if (tw_search_allows(search, configuration, 0, bound, NULL) == TW_OK) {
            values[p->slot] = after;
            changed = true;
        } else {
            configuration->values[i] = before;
        }
    }
    return changed;
}

/* Of another device with this architecture, what is not on record is as here, but for the number of
 * its units. */
void tw_search_slots(const struct tw_search *search, const struct tw_catalogue_row *row,
                     int64_t slots[TW_DEVICE_SLOTS]) {
    memcpy(slots, search->slots, sizeof search->slots);
    if (strcmp(row->device, search->fingerprint) == 0)
        return;
    if (row->slots != NULL)
        memcpy(slots, row->slots, sizeof search->slots);
    else
        slots[TW_SLOT_SM_COUNT] = row->units;
}

/* On this very device it is what would be compiled now that counts. */
tw_status tw_search_current(struct tw_search *search, const struct tw_catalogue_row *row,
                            struct tw_error *error) {
    struct tw_problem problem;
    int64_t slots[TW_DEVICE_SLOTS];
    tw_search_slots(search, row, slots);
    const struct tw_stored stored = {.backend = row->backend,
                                     .device = slots,
                                     .implementation = row->implementation,
                                     .template_hash = row->template_hash,
                                     .source = row->source,
                                     .judge = row->judge,
                                     .configuration = row->configuration};
    tw_status status = tw_problem_read(&problem, search->problem->description, row->problem, error);
    return status == TW_OK ? tw_today_check(search->today, &problem, &stored, error) : status;
}

tw_status tw_search_accept(struct tw_search *search, const struct tw_configuration *configuration,
                           struct tw_error *error) {
    if (search->query->accept == NULL)
        return TW_OK;
    search->attempts++;
    return tw_search_note_lack(
        search, search->query->accept(search->query->context, configuration, error), error);
}

void tw_search_refuse(struct tw_selection *selection, const struct tw_catalogue_row *row,
                      const struct tw_error *why) {
    if (selection->refused != NULL)
        return;
    selection->refused = row;
    snprintf(selection->refusal, sizeof selection->refusal, "%.250s", why->message);
}

/* A rule that cannot be evaluated for this problem does not hold, and a preset that does not fit is
 * passed over: these are preferences, and `default` always works. */
bool tw_search_fallback(struct tw_search *search, int *from,
                        struct tw_configuration *configuration) {
    const struct tw_description *d = search->problem->description;
    while (*from < d->fallback_count) {
        const struct tw_fallback *fallback = &d->fallbacks[(*from)++];
        int64_t holds = 0, values[TW_MAX_SYMBOLS];
        struct tw_error why;
        if (tw_expression_evaluate(fallback->when, search->values, &holds) != TW_EVALUATED ||
            holds == 0)
            continue;
        tw_status status = tw_configuration_preset(configuration, d, fallback->implementation,
                                                   fallback->preset, &why);
        if (tw_search_note_lack(search, status, &why) != TW_OK)
            continue;
        tw_search_adapt(search, configuration);
        if (tw_search_fits(search, configuration, values, NULL) == TW_OK)
            return true;
    }
    return false;
}
