/* The kernels this program has a description of: what stored rows are held against. */
#ifndef TUNER_EXCHANGE_DESCRIPTIONS_H
#define TUNER_EXCHANGE_DESCRIPTIONS_H

#include "runtime/base/hash.h"
#include "runtime/description/description.h"

struct known_kernel {
    struct tw_description *description;
    char (*hashes)[TW_HASH_SIZE]; /* of today's templates, by implementation */
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
/* Whether a template hash is today's for the implementation of that name. */
bool known_kernel_is_current(const struct known_kernel *kernel, const char *implementation,
                             const char *template_hash);

#endif
