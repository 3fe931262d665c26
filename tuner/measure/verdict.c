#include "tuner/measure/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ---- */

/* A number as its type holds it, with as many digits as tell it from its neighbours. */
static void print_number(char *out, size_t size, enum tw_type type, const unsigned char *bytes) {
    const struct tw_type_info *info = tw_type_info(type);
    double number = tw_type_decode(type, bytes);
    uint64_t large = 0;
    if (info->bytes == 8)
        memcpy(&large, bytes, sizeof large);
    if (isnan(number))
        snprintf(out, size, "NaN");
    else if (info->floating)
        snprintf(out, size, "%.*g", type == TW_TYPE_f64 ? 17 : 9, number);
    else if (type == TW_TYPE_u64)
        snprintf(out, size, "%" PRIu64, large);
    else if (type == TW_TYPE_i64)
        snprintf(out, size, "%" PRId64, (int64_t)large);
    else
        snprintf(out, size, "%.0f", number);
}

static bool is_blank(enum tw_type type, const unsigned char *bytes) {
    size_t i = 0;
    while (i < tw_type_info(type)->bytes && bytes[i] == 0xFF)
        i++;
    return i == tw_type_info(type)->bytes;
}

/* " (alpha = 2, lda = 20)": the case's scalars, strides that leave gaps, and an alignment that is
 * less than usual. */
static void print_case(char *out, size_t size, const struct workload *w, int which) {
    const struct tw_description *d = w->testbed->problem.description;
    size_t length = 0;
    const char *before = " (";
    out[0] = '\0';
    for (int i = 0; i < d->argument_count && length < size; i++) {
        const struct tw_argument *a = &d->arguments[i];
        int64_t dense = 0;
        if (a->kind == TW_ARGUMENT_SCALAR) {
            length += (size_t)snprintf(out + length, size - length, "%s%s = %.9g", before, a->name,
                                       d->cases[which].scalars[i]);
        } else if (a->kind == TW_ARGUMENT_STRIDE &&
                   tw_expression_evaluate(a->default_stride, w->testbed->values, &dense) ==
                       TW_EVALUATED &&
                   dense != w->testbed->values[a->slot]) {
            length += (size_t)snprintf(out + length, size - length, "%s%s = %" PRId64, before,
                                       a->name, w->testbed->values[a->slot]);
        } else {
            continue;
        }
        before = ", ";
    }
    if (w->testbed->values[TW_SLOT_ALIGNMENT] < TW_FULL_ALIGNMENT && length < size) {
        length +=
            (size_t)snprintf(out + length, size - length, "%s" TW_ALIGNMENT_NAME " = %" PRId64,
                             before, w->testbed->values[TW_SLOT_ALIGNMENT]);
        before = ", ";
    }
    if (before[0] == ',' && length < size)
        snprintf(out + length, size - length, ")");
}

/* "row 3, column 4", of which matrix where there are several. */
static void print_place(char *out, size_t size, const struct tw_extent *extent, uint64_t element) {
    const struct tw_place place = tw_extent_place(extent, element);
    size_t length = 0;
    if (extent->layers > 1)
        length = (size_t)snprintf(out, size, "matrix %" PRIu64 ", ", place.layer);
    snprintf(out + length, size - length, "row %" PRIu64 ", column %" PRIu64, place.row,
             place.column);
}

/* ---- Outputs ---- */

/* One element of memory that begins with the first. */
static tw_status read_element(const struct workload *w, const struct tw_memory *memory,
                              uint64_t index, size_t bytes, unsigned char out[8],
                              struct tw_error *error) {
    const struct tw_memory one = tw_memory_part(memory, index * bytes, bytes);
    return w->testbed->backend->read(w->testbed->device, &one, out, error);
}

tw_status verdict_element(const struct workload *w, int argument, int which,
                          const struct comparison *c, double max_error, double tolerance,
                          struct tw_error *error) {
    const struct tw_extent *extent = &w->extents[argument];
    const struct tw_type_info *type = tw_type_info(extent->type);
    const char *name = w->testbed->problem.description->arguments[argument].name;
    unsigned char got[8], want[8];
    struct tw_arguments arguments;
    workload_arguments(w, 0, which, &arguments);
    tw_status status =
        read_element(w, &arguments.memory[argument], c->first_wrong, type->bytes, got, error);
    if (status == TW_OK)
        status = read_element(w, &w->references[which][argument], c->first_wrong,
                              type->floating ? sizeof(double) : type->bytes, want, error);
    if (status != TW_OK)
        return status;
    char expected[40], came[40], scalars[200], place[100], unwritten[100] = "", size[100] = "";
    if (type->floating) {
        /* As the output could have held it. */
        double exact;
        memcpy(&exact, want, sizeof exact);
        tw_type_encode(extent->type, exact, want);
    }
    print_number(expected, sizeof expected, extent->type, want);
    print_number(came, sizeof came, extent->type, got);
    if (type->floating && is_blank(extent->type, got))
        snprintf(came, sizeof came, "nothing");
    print_case(scalars, sizeof scalars, w, which);
    print_place(place, sizeof place, extent, c->first_wrong);
    if (c->unwritten > 0)
        snprintf(unwritten, sizeof unwritten,
                 " or were not written (%" PRIu64 " hold what was there before)", c->unwritten);
    if (isfinite(max_error))
        snprintf(size, sizeof size, "; %.30s has an error of %.3g; %.3g is allowed", name,
                 max_error, tolerance);
    return tw_fail(error, TW_WRONG,
                   "case %d%s: %" PRIu64 " of %" PRIu64 " elements of %s are wrong%s; the first at "
                   "%s: expected %s, got %s%s",
                   which, scalars, c->wrong,
                   (uint64_t)extent->layers * (uint64_t)extent->rows * (uint64_t)extent->columns,
                   name, unwritten, place, expected, came, size);
}

tw_status verdict_gap(const struct workload *w, int argument, const struct comparison *c,
                      struct tw_error *error) {
    const struct tw_extent *extent = &w->extents[argument];
    char place[100];
    print_place(place, sizeof place, extent, c->first_gap);
    return tw_fail(error, TW_WRONG,
                   "wrote between the rows of %s: %" PRIu64
                   " elements (%s), whose rows have %" PRId64 " elements",
                   w->testbed->problem.description->arguments[argument].name, c->gaps, place,
                   extent->columns);
}

/* ---- Outside ---- */

/* `bytes` from the last before the beginning of a buffer, or the first behind its end: 0 is next to
 * it. */
static tw_status fail_outside(const struct workload *w, int argument, bool before, uint64_t bytes,
                              struct tw_error *error) {
    uint64_t away = bytes / tw_type_info(w->extents[argument].type)->bytes + 1;
    return tw_fail(error, TW_WRONG,
                   "wrote outside its buffers: %s of %s, %" PRIu64 " element%s from its %s",
                   before ? "before the beginning" : "behind the end",
                   w->testbed->problem.description->arguments[argument].name, away,
                   away == 1 ? "" : "s", before ? "first" : "last");
}

tw_status verdict_around(const struct workload *w, int argument, const struct comparison *c,
                         struct tw_error *error) {
    uint64_t at = c->first_around * tw_type_info(w->extents[argument].type)->bytes;
    if (at < w->shift)
        return fail_outside(w, argument, true, w->shift - at - 1, error);
    return fail_outside(w, argument, false, at - w->shift - w->extents[argument].bytes, error);
}

/* What was written in a guard is told of the buffer that it is nearer to. */
static tw_status verdict_guard(const struct workload *w, int zone, struct tw_error *error) {
    const struct zone *guard = &w->zones[zone];
    const struct tw_memory memory = tw_memory_part(&w->sets[0], guard->offset, guard->bytes);
    unsigned char *bytes = malloc(guard->bytes);
    if (bytes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = w->testbed->backend->read(w->testbed->device, &memory, bytes, error);
    uint64_t first = 0, last = guard->bytes - 1;
    while (first < guard->bytes && bytes[first] == 0xFF)
        first++;
    while (last > first && bytes[last] == 0xFF)
        last--;
    free(bytes);
    if (status != TW_OK)
        return status;
    if (first == guard->bytes)
        return tw_fail(error, TW_WRONG, "wrote outside its buffers while it was being checked");
    uint64_t behind = UINT64_MAX, before = UINT64_MAX;
    if (zone > 0) {
        const struct zone *previous = &w->zones[zone - 1];
        behind = previous->bytes - w->shift - w->extents[previous->argument].bytes + first;
    }
    if (zone + 1 < w->zone_count)
        before = guard->bytes - 1 - last + w->shift;
    return behind <= before ? fail_outside(w, w->zones[zone - 1].argument, false, behind, error)
                            : fail_outside(w, w->zones[zone + 1].argument, true, before, error);
}

/* ---- Inputs ---- */

enum { CHUNK_BYTES = 1 << 20 };

/* Where two pieces of memory first differ; their size when they do not. */
static tw_status first_difference(const struct workload *w, const struct tw_memory *a,
                                  const struct tw_memory *b, uint64_t *at, struct tw_error *error) {
    const struct testbed *testbed = w->testbed;
    unsigned char *bytes = malloc(2 * CHUNK_BYTES);
    tw_status status = TW_OK;
    if (bytes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (*at = 0; *at < a->bytes && status == TW_OK;) {
        uint64_t count = a->bytes - *at < CHUNK_BYTES ? a->bytes - *at : CHUNK_BYTES, i = 0;
        const struct tw_memory one = tw_memory_part(a, *at, count);
        const struct tw_memory other = tw_memory_part(b, *at, count);
        status = testbed->backend->read(testbed->device, &one, bytes, error);
        if (status == TW_OK)
            status = testbed->backend->read(testbed->device, &other, bytes + CHUNK_BYTES, error);
        while (status == TW_OK && i < count && bytes[i] == bytes[CHUNK_BYTES + i])
            i++;
        *at += i;
        if (i < count)
            break;
    }
    free(bytes);
    return status;
}

static tw_status verdict_input(const struct workload *w, int argument,
                               const struct tw_memory *original, struct tw_error *error) {
    const struct tw_extent *extent = &w->extents[argument];
    const char *name = w->testbed->problem.description->arguments[argument].name;
    size_t bytes = tw_type_info(extent->type)->bytes;
    const struct tw_memory now = workload_zone(w, argument);
    uint64_t at = 0;
    tw_status status = first_difference(w, &now, original, &at, error);
    if (status != TW_OK)
        return status;
    if (at < w->shift)
        return fail_outside(w, argument, true, w->shift - at - 1, error);
    if (at - w->shift >= extent->bytes)
        return fail_outside(w, argument, false, at - w->shift - extent->bytes, error);
    uint64_t index = (at - w->shift) / bytes;
    const struct tw_place at_element = tw_extent_place(extent, index);
    unsigned char was[8], is[8];
    char before[40], after[40], place[100];
    print_place(place, sizeof place, extent, index);
    if (at_element.column >= (uint64_t)extent->columns || at_element.row >= (uint64_t)extent->rows)
        return tw_fail(error, TW_WRONG,
                       "wrote to its input %s: between its rows (%s), which have %" PRId64
                       " elements",
                       name, place, extent->columns);
    const struct tw_memory from = tw_memory_part(original, w->shift, extent->bytes);
    const struct tw_memory to = tw_memory_part(&now, w->shift, extent->bytes);
    status = read_element(w, &from, index, bytes, was, error);
    if (status == TW_OK)
        status = read_element(w, &to, index, bytes, is, error);
    if (status != TW_OK)
        return status;
    print_number(before, sizeof before, extent->type, was);
    print_number(after, sizeof after, extent->type, is);
    return tw_fail(error, TW_WRONG, "wrote to its input %s: the first at %s: %s became %s", name,
                   place, before, after);
}

tw_status verdict_zone(const struct workload *w, int zone, struct tw_error *error) {
    int argument = w->zones[zone].argument;
    if (argument < 0)
        return verdict_guard(w, zone, error);
    struct tw_memory original;
    tw_status status = workload_original(w, argument, &original, error);
    /* Where is not worth what else the memory is needed for. */
    if (status == TW_NO_MEMORY)
        return tw_fail(error, TW_WRONG, "wrote to its input %s",
                       w->testbed->problem.description->arguments[argument].name);
    if (status == TW_OK) {
        status = verdict_input(w, argument, &original, error);
        w->testbed->backend->release(w->testbed->device, &original);
    }
    return status;
}
