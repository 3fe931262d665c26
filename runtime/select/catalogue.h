/* The best rows of databases, read once into memory. After that a look-up touches no database.
 *
 * Immutable once loaded, but for models, which are read when they are needed; safe from many
 * threads. */
#ifndef TW_SELECT_CATALOGUE_H
#define TW_SELECT_CATALOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "db/store.h"
#include "runtime/base/error.h"
#include "runtime/description/problem.h"
#include "runtime/select/row.h"

struct tw_catalogue;

tw_status tw_catalogue_create(struct tw_catalogue **out, struct tw_error *error);
/* One more holder of the same catalogue: each calls tw_catalogue_free, and the last one frees it.
 * Any thread may share one that it holds. */
struct tw_catalogue *tw_catalogue_share(struct tw_catalogue *catalogue);
void tw_catalogue_free(struct tw_catalogue *catalogue);

/* Reads all best rows and the text of all models of an open database; of two models about the same
 * the later one counts. A row overrides one that an earlier call brought for the same kernel,
 * problem, device, cache policy, implementation and template, unless it is provisional and that one
 * is not. Rows whose problem's key is none of ours are left out. */
tw_status tw_catalogue_add(struct tw_catalogue *catalogue, tw_db *db, struct tw_error *error);

/* The first row of a kernel and the sizes of a problem's key, which leads to the others by `next`,
 * whatever their attributes; NULL when there is none. */
const struct tw_catalogue_row *tw_catalogue_exact(const struct tw_catalogue *catalogue,
                                                  const char *kernel, const char *problem);

/* Models, by index. */
size_t tw_catalogue_models(const struct tw_catalogue *catalogue);
const struct tw_model_subject *tw_catalogue_model_subject(const struct tw_catalogue *catalogue,
                                                          size_t index);
/* The model itself, which is read when it is first asked for: most applications need few. It lives
 * as long as the catalogue. TW_INVALID with what is wrong with it, or TW_NO_MEMORY. Any thread may
 * ask. */
tw_status tw_catalogue_model(const struct tw_catalogue *catalogue, size_t index,
                             const struct tw_catalogue_model **out, struct tw_error *error);

/* Which rows have a problem's attributes, or alike ones: keys may leave out those at their
 * defaults, and those of older databases do not. Zero-initialise but for the first two. */
struct tw_attribute_match {
    const struct tw_problem *problem;
    bool alike;
    struct {
        const char *attributes;
        bool same;
    } seen[64];
};
bool tw_catalogue_matches(struct tw_attribute_match *match, const struct tw_catalogue_row *row);
/* Text that many rows share is one text: the one for these words, NULL when no row has it. */
const char *tw_catalogue_word(const struct tw_catalogue *catalogue, const char *word);
/* All rows, in no particular order. */
size_t tw_catalogue_size(const struct tw_catalogue *catalogue);
const struct tw_catalogue_row *tw_catalogue_at(const struct tw_catalogue *catalogue, size_t index);

#endif
