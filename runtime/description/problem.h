/* A problem: a kernel with dimensions and attributes chosen. */
#ifndef TW_DESCRIPTION_PROBLEM_H
#define TW_DESCRIPTION_PROBLEM_H

#include "runtime/description/description.h"

enum { TW_PROBLEM_KEY_SIZE = 512 };

struct tw_problem {
    const struct tw_description *description; /* borrowed */
    int64_t dimensions[TW_MAX_DIMENSIONS];
    int words[TW_MAX_ATTRIBUTES]; /* word ids */
    int alignment; /* of buffers, in bytes: a power of two; 0: TW_FULL_ALIGNMENT. Not of the key:
                      results are measured with full alignment */
};

/* "MxNxK", what sizes a kernel's problems have, into TW_PROBLEM_FORM_SIZE bytes. */
enum { TW_PROBLEM_FORM_SIZE = TW_MAX_DIMENSIONS * TW_NAME_SIZE };
void tw_problem_form(const struct tw_description *description, char *out, size_t size);
/* Parses a shape such as "4096x4096x1024" for this kernel; attributes get their defaults.
 * Dimensions are 1 .. 2^31-1. */
tw_status tw_problem_parse(struct tw_problem *problem, const struct tw_description *description,
                           const char *shape, struct tw_error *error);
/* Chooses an attribute's word; a wrong name or word is answered with the known ones. */
tw_status tw_problem_set(struct tw_problem *problem, const char *attribute, const char *word,
                         struct tw_error *error);

enum { TW_NUMBER_SIZE = 16 };

/* What an attribute is: its word, or its number, which is then written to `number`. */
const char *tw_problem_attribute(const struct tw_problem *problem, int attribute,
                                 char number[TW_NUMBER_SIZE]);

/* What databases key on: "M=64,N=32;dtype=f64". Attributes at their default are left out, so that a
 * problem keeps its key when its kernel gets one more. */
void tw_problem_key(const struct tw_problem *problem, char key[TW_PROBLEM_KEY_SIZE]);
/* The problem for people, with its attributes but those that say nothing, being `default` or quiet:
 * "M=64,N=32;dtype=f32". */
void tw_problem_text(const struct tw_problem *problem, char text[TW_PROBLEM_KEY_SIZE]);
/* Reads either; attributes that are not named get their defaults. */
tw_status tw_problem_read(struct tw_problem *problem, const struct tw_description *description,
                          const char *key, struct tw_error *error);
/* The words of the attributes of a key, ";dtype=f64" or "": defaults where it names none. False:
 * the description has no such attributes. */
bool tw_problem_words(const struct tw_description *description, const char *attributes,
                      int words[TW_MAX_ATTRIBUTES]);
/* Whether the attributes of a key are the problem's. */
bool tw_problem_has_attributes(const struct tw_problem *problem, const char *attributes);
/* Whether they are, but for words that the description calls alike. */
bool tw_problem_has_alike(const struct tw_problem *problem, const char *attributes);
/* Whether two words of an attribute are one, or the description calls them alike. */
bool tw_words_alike(const struct tw_attribute *attribute, int a, int b);
/* Only the shape, "64x32". */
void tw_problem_shape(const struct tw_problem *problem, char shape[TW_PROBLEM_KEY_SIZE]);

/* Fills the slots of device, alignment, dimensions, attributes, lets and strides in `values`.
 * `device` has TW_DEVICE_SLOTS entries. `strides` (by argument index; 0 means the default) may be
 * NULL. Fails when the problem is refused, a let cannot be evaluated or a stride is shorter than
 * its rows. */
tw_status tw_problem_bind(const struct tw_problem *problem, const int64_t *device,
                          const int64_t *strides, int64_t values[TW_MAX_SYMBOLS],
                          struct tw_error *error);

/* Whether the problem has this buffer, under bound values: an optional one may be absent. */
bool tw_problem_has(const struct tw_problem *problem, int argument, const int64_t *values);
/* Whether a launch is given what it passes: it is left out where it is optional and absent. */
bool tw_problem_passes(const struct tw_problem *problem, const struct tw_passed *passed,
                       const int64_t *values);
/* What a buffer's address must be a multiple of where buffers' are of `alignment`: of no less than
 * its elements' size, which is a single number's in every case. */
int tw_problem_alignment(const struct tw_problem *problem, int argument, int alignment);
/* What a stride is by default, under bound values, of which only strides before it count; 0 where
 * the argument is no stride or the problem has it not, and where there is no such number. */
int64_t tw_problem_stride(const struct tw_problem *problem, int argument, const int64_t *values);
/* The range of a buffer's random input under bound values; of one that says where something is cut
 * into parts, 0 and how much there is. */
tw_status tw_problem_fill(const struct tw_problem *problem, int argument, const int64_t *values,
                          double *low, double *high, struct tw_error *error);

/* Of a buffer: so many layers, which are matrices, nearly always one. */
struct tw_extent {
    int64_t layers, rows, columns; /* rows of a layer */
    int64_t stride, layer_stride;  /* elements; with one layer there is no such stride: 0 */
    enum tw_type type;
    uint64_t bytes; /* from the first element to the last, gaps included */
};

/* Where an element is, counted from the buffer's first. */
struct tw_place {
    uint64_t layer, row, column; /* a column past the last is between rows, a row past the last
                                    between layers */
};

struct tw_place tw_extent_place(const struct tw_extent *extent, uint64_t element);

/* Size of a buffer argument under bound values; fails for non-positive or overflowing sizes. */
tw_status tw_problem_extent(const struct tw_problem *problem, int argument, const int64_t *values,
                            struct tw_extent *extent, struct tw_error *error);
/* Type of a buffer or scalar argument for this problem. */
enum tw_type tw_problem_type(const struct tw_problem *problem, int argument);
/* A type that is said though it is what there is by default, as "ctype=f16" of products of f16, is
 * no other problem: its attribute goes back to its default. To be called once all are set. */
void tw_problem_settle_types(struct tw_problem *problem);
/* The attribute whose word told it; -1: it has one type. */
int tw_problem_type_attribute(const struct tw_problem *problem, int argument);
/* Why the description refuses words that do not go together, which binding answers with; NULL: it
 * does not. The description's. */
const char *tw_problem_refusal(const struct tw_problem *problem);

struct tw_work {
    double flops; /* 0: rated by bytes */
    double bytes;
};

tw_status tw_problem_work(const struct tw_problem *problem, const int64_t *values,
                          struct tw_work *work, struct tw_error *error);
/* TFLOP/s or GB/s for a time in seconds; *unit is the one it is. */
double tw_work_rate(const struct tw_work *work, double seconds, const char **unit);

#endif
