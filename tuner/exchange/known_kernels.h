/* The kernels this program has a description of: what stored rows are held against. */
#ifndef TUNER_EXCHANGE_KNOWN_KERNELS_H
#define TUNER_EXCHANGE_KNOWN_KERNELS_H

#include "db/store.h"
#include "runtime/select/current.h"

struct known_kernel {
    struct tw_description *description;
    struct tw_today *today;
};

struct known_kernels {
    int count;
    struct known_kernel *kernels;
};

/* Reads all built-in descriptions and the files named, each of which takes the place of a built-in
 * one of the same kernel. TW_INVALID when two files describe one kernel. Free with
 * known_kernels_close in every case. */
tw_status known_kernels_open(struct known_kernels *known, const char *const *files, int file_count,
                             struct tw_error *error);
void known_kernels_close(struct known_kernels *known);

/* NULL when there is none. */
const struct known_kernel *known_kernels_find(const struct known_kernels *known,
                                              const char *kernel);

/* TW_OK when a best row of the kernel is of today's code; else `error` says what has changed, or
 * TW_NO_MEMORY: then nothing is known of the row. */
tw_status known_kernel_check(const struct known_kernel *kernel, const struct tw_db_best_row *row,
                             struct tw_error *error);

/* The same of anything stored about a problem with this key. `error` may be NULL. */
tw_status known_kernel_check_stored(const struct known_kernel *kernel, const char *key,
                                    const struct tw_stored *stored, struct tw_error *error);

/* The devices of a database by id, as rows of trials refer to them. */
struct known_device {
    int64_t id;
    char fingerprint[256];
    char backend[16];
    bool has_slots;
    int64_t slots[TW_DEVICE_SLOTS];
};

struct known_devices {
    int count;
    struct known_device *devices;
    bool failed; /* out of memory */
};

/* Free with known_devices_free in every case. */
tw_status known_devices_read(struct known_devices *devices, tw_db *db, struct tw_error *error);
const struct known_device *known_devices_find(const struct known_devices *devices, int64_t id);
const struct known_device *known_devices_by_fingerprint(const struct known_devices *devices,
                                                        const char *fingerprint);
void known_devices_free(struct known_devices *devices);

/* The same of a trial, without words. */
tw_status known_kernel_check_trial(const struct known_kernel *kernel,
                                   const struct known_devices *devices,
                                   const struct tw_db_trial_row *row);

#endif
