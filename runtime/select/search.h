/* Internal to the room: a selection under way, as its rules share it. */
#ifndef TW_SELECT_SEARCH_H
#define TW_SELECT_SEARCH_H

#include "runtime/select/query.h"

struct tw_search {
    const struct tw_query *query;
    const struct tw_problem *problem;
    const struct tw_device_info *device;
    double log_dimensions[TW_MAX_DIMENSIONS];
    int attempts;                   /* configurations that were offered */
    int64_t values[TW_MAX_SYMBOLS]; /* bound for the problem */
    int64_t slots[TW_DEVICE_SLOTS]; /* of the device */
    char fingerprint[256];          /* likewise */
    struct tw_today *today;
    struct tw_attribute_match match, alike;
    struct tw_error lack; /* of memory, which says nothing about a row: TW_NO_MEMORY once it fell */
    /* The words that rows must have to count: the catalogue's own, NULL where no row has them. */
    const char *kernel, *fingerprint_word, *cache, *backend, *architecture;
};

/* Keeps what a lack of memory is told with. */
tw_status tw_search_note_lack(struct tw_search *search, tw_status status,
                              const struct tw_error *error);
/* Whether a configuration can run the problem on the device, but for the sizes of its launches;
 * `values` (TW_MAX_SYMBOLS) are bound for it then. Constraints with a bit in `held` are known to
 * hold. */
tw_status tw_search_allows(const struct tw_search *search,
                           const struct tw_configuration *configuration, uint64_t held,
                           int64_t *values, struct tw_error *error);
/* Whether it can with them. */
tw_status tw_search_fits(const struct tw_search *search,
                         const struct tw_configuration *configuration, int64_t *values,
                         struct tw_error *error);
/* Gives parameters of a configuration that was measured on another problem, or on none, what the
 * description works out of the problem for those without a result of their own. False: it stays. */
bool tw_search_adapt(const struct tw_search *search, struct tw_configuration *configuration);
/* The device's slots that a row was measured with. */
void tw_search_slots(const struct tw_search *search, const struct tw_catalogue_row *row,
                     int64_t slots[TW_DEVICE_SLOTS]);
/* Whether a row is of today's code; if not, `error` says why. */
tw_status tw_search_current(struct tw_search *search, const struct tw_catalogue_row *row,
                            struct tw_error *error);
/* Asks whoever is to use it. */
tw_status tw_search_accept(struct tw_search *search, const struct tw_configuration *configuration,
                           struct tw_error *error);
/* Notes the first row that could not be used. */
void tw_search_refuse(struct tw_selection *selection, const struct tw_catalogue_row *row,
                      const struct tw_error *why);
/* The preset of the first of the description's rules that holds and fits, from *from on, which is
 * then the next one; false: there is none. */
bool tw_search_fallback(struct tw_search *search, int *from,
                        struct tw_configuration *configuration);

#endif
