/* Internal to the room: what selections worked out of results for other problems, and need not
 * again: a result's configuration, read from its text, and what it was estimated to take where it
 * was measured. Of one description. Safe from many threads. */
#ifndef TW_SELECT_KNOWN_H
#define TW_SELECT_KNOWN_H

#include "runtime/predict/estimate.h"
#include "runtime/select/row.h"

struct tw_known;

/* Hashes of what a result says, not where it stands: catalogues come and go. */
struct tw_known_key {
    uint64_t configuration; /* and implementation */
    uint64_t others;        /* problem, device, and what estimates know of the device that asks */
};

/* NULL: out of memory. */
struct tw_known *tw_known_create(void);
void tw_known_free(struct tw_known *known);

/* A hash of what estimates know of a device, and of the model that is asked with them; 0: none. */
uint64_t tw_known_device(const struct tw_device_info *device, const char *fingerprint,
                         uint64_t model);
/* `device` is the one that asks. */
struct tw_known_key tw_known_key_of(const struct tw_catalogue_row *row, uint64_t device);
/* Of one of a model's configurations, of which no estimate elsewhere is asked. */
struct tw_known_key tw_known_key_of_model(const struct tw_catalogue_model *model, size_t index);

/* What is not asked for as lately may be forgotten, as for want of memory: then it is worked out
 * again. */
bool tw_known_configuration(struct tw_known *known, const struct tw_known_key *key,
                            uint64_t asked_for, struct tw_configuration *configuration,
                            bool *holds);
void tw_known_note_configuration(struct tw_known *known, const struct tw_known_key *key,
                                 const struct tw_configuration *configuration);
/* That all its constraints held. Those that sizes do not change hold then wherever attributes and
 * device are these, which `asked_for` is a hash of, and never 0. */
void tw_known_note_held(struct tw_known *known, const struct tw_known_key *key, uint64_t asked_for);
uint64_t tw_known_asked_for(const struct tw_problem *problem, const int64_t *slots);
/* And what the model says there; 0: it was not asked. */
bool tw_known_estimate(struct tw_known *known, const struct tw_known_key *key,
                       struct tw_estimate *estimate, double *model_us);
void tw_known_note_estimate(struct tw_known *known, const struct tw_known_key *key,
                            const struct tw_estimate *estimate, double model_us);

#endif
