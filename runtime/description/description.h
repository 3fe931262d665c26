/* A kernel description in memory: what a file in configs/ says, parsed and checked.
 *
 * The format is documented in configs/README.md. A description is immutable once read, but for an
 * outline's implementations, and may be used from many threads. Names point into it. */
#ifndef TW_DESCRIPTION_DESCRIPTION_H
#define TW_DESCRIPTION_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/description/expression.h"
#include "runtime/description/tensor_types.h"
#include "runtime/description/types.h"

enum {
    TW_MAX_DIMENSIONS = 8,
    TW_MAX_ATTRIBUTES = 16,
    TW_MAX_CHOICES = 64, /* values of a parameter or words of an attribute */
    TW_MAX_REFUSALS = 12,
    TW_MAX_LETS = 32,
    TW_MAX_ARGUMENTS = 24,
    TW_MAX_CASES = 8,
    TW_MAX_IMPLEMENTATIONS = 40,
    TW_MAX_PARAMETERS = 32,
    TW_MAX_RULES = 64, /* constraints, redundancies, defines or presets of an implementation */
    TW_MAX_FALLBACKS = 96,
    TW_MAX_RUNGS = 24,
    TW_MAX_LAUNCHES = 4,
    TW_MAX_TEMPLATES = 20, /* files of one launch */
    TW_MAX_PASSED = 32,
    TW_MAX_TENSOR_MAPS = 6, /* of a launch */
    TW_MAX_MESSAGES = 8,
    TW_PATH_SIZE = 160
};

/* What the device contributes to the names an expression may use; the first slots of every scope.
 */
#define TW_DEVICE_NAMES(X)                                                                         \
    X(MAX_SHARED)                                                                                  \
    X(MAX_THREADS)                                                                                 \
    X(WARP)                                                                                        \
    X(SM_COUNT)                                                                                    \
    X(L2_BYTES)                                                                                    \
    X(ARCH)                                                                                        \
    X(IS_CPU)

enum tw_device_slot {
#define TW_DEVICE_SLOT(name) TW_SLOT_##name,
    TW_DEVICE_NAMES(TW_DEVICE_SLOT)
#undef TW_DEVICE_SLOT
        TW_DEVICE_SLOTS,
    /* What a call contributes: every buffer's address is a multiple of so many bytes. */
    TW_SLOT_ALIGNMENT = TW_DEVICE_SLOTS
};

#define TW_ALIGNMENT_NAME "ALIGNMENT"
/* The widest access of a kernel, and what allocators give at least. */
enum { TW_FULL_ALIGNMENT = 16 };

struct tw_dimension {
    char name[TW_NAME_SIZE];
    int slot;
};

struct tw_attribute {
    char name[TW_NAME_SIZE];
    int slot;
    bool quiet;     /* texts leave it out where it has its default */
    bool is_number; /* from `least` to `most`; else one of `words` */
    int least, most;
    int alike_to; /* a model may be asked about numbers up to this one that it has not seen */
    int word_count;
    int words[TW_MAX_CHOICES]; /* ids in the description's symbols */
    int alike[TW_MAX_CHOICES]; /* a word's group, of which results serve each other; 0: none */
    int default_word;          /* or number */
};

/* Words that do not go together: what is wrong with a problem. */
struct tw_refusal {
    struct tw_expression *when; /* over dimensions and attributes */
    char *because;
};

struct tw_named_expression {
    char name[TW_NAME_SIZE];
    int slot;
    struct tw_expression *expression;
};

enum tw_argument_kind { TW_ARGUMENT_BUFFER, TW_ARGUMENT_STRIDE, TW_ARGUMENT_SCALAR };
enum tw_access { TW_ACCESS_IN, TW_ACCESS_OUT, TW_ACCESS_INOUT };

struct tw_argument {
    char name[TW_NAME_SIZE];
    enum tw_argument_kind kind;
    int type_attribute; /* index of the attribute whose word tells the type, or -1 for `type` */
    enum tw_type type;
    enum tw_type types[TW_MAX_CHOICES]; /* by the attribute's words, in their order */
    bool left[TW_MAX_CHOICES];          /* words that leave the type to the second attribute */
    int second_attribute;               /* -1: none */
    enum tw_type second_types[TW_MAX_CHOICES]; /* by its words */
    enum tw_access access;                     /* buffers */
    struct tw_expression *rows;                /* buffers */
    struct tw_expression *columns;             /* buffers */
    int stride;                   /* buffers: index of the stride argument, or -1: rows are dense */
    int read_when;                /* buffers: index of the scalar that, not being zero, has an `out`
                                     buffer read; or -1 */
    struct tw_expression *when;   /* buffers and strides: 0 where the problem has none; NULL: it
                                     always has */
    struct tw_expression *layers; /* buffers: how many matrices there are; NULL: one */
    int layer_stride; /* buffers: the stride argument from one matrix to the next, or -1 */
    double fill_low, fill_high;                       /* buffers that are read */
    struct tw_expression *fill_low_of, *fill_high_of; /* in their place, where not NULL */
    struct tw_expression *fill_parts_of; /* not NULL: where so many things are cut into parts */
    uint32_t fill_seed;
    struct tw_expression *default_stride; /* strides */
    int slot;                             /* strides */
    double default_number;                /* scalars */
};

/* Something a launch passes, in the order of the kernel's parameters. */
enum tw_passed_kind {
    TW_PASS_ARGUMENT, /* index: argument */
    TW_PASS_BEFORE,   /* index: argument; its contents before the launch (references only) */
    TW_PASS_SLOT,     /* index: slot of a dimension, let or launch parameter, as an int */
    TW_PASS_WORKSPACE,
    TW_PASS_TENSOR_MAP, /* index: of the launch's tensor maps */
    TW_PASS_COUNTERS
};

struct tw_passed {
    enum tw_passed_kind kind;
    int index;
    bool optional; /* an argument that is left out where the problem has it not */
};

/* How a copy engine is to see a buffer, from which a backend makes what the kernel takes by value.
 */
struct tw_tensor_map_description {
    char name[TW_NAME_SIZE];
    int buffer; /* argument, or -1: the workspace */
    int type;   /* a tw_tensor_type, or -1: the buffer's own */
    int rank;
    struct tw_expression *dims[TW_MAX_RANK];        /* elements, the contiguous one first */
    struct tw_expression *strides[TW_MAX_RANK - 1]; /* elements, of all dims but the first */
    struct tw_expression *box[TW_MAX_RANK];         /* elements that one copy takes */
    struct tw_expression *layers;                   /* NULL: one; of more a dimension behind */
    struct tw_expression *layer_stride;             /* elements */
    struct tw_expression *swizzle;                  /* bytes: 0 (NULL), 32, 64 or 128 */
    struct tw_expression *offset;                   /* bytes; NULL: 0 */
    bool im2col; /* box is then channels and pixels, and there are, for all dims but the first and
                    the last: */
    struct tw_expression *lower[TW_MAX_RANK - 2], *upper[TW_MAX_RANK - 2]; /* of the window */
    struct tw_expression *steps[TW_MAX_RANK - 2];                          /* between pixels */
};

struct tw_launch_description {
    int template_count;
    char templates[TW_MAX_TEMPLATES][TW_PATH_SIZE];
    char function[TW_NAME_SIZE];
    struct tw_expression *block[3]; /* NULL: 1 */
    struct tw_expression *grid[3];
    struct tw_expression *cluster[3]; /* blocks; NULL: 1 */
    struct tw_expression *shared;     /* bytes; NULL: 0 */
    struct tw_expression *min_blocks; /* NULL: 1 */
    struct tw_expression *early;      /* whether it may begin before what is queued before it has
                                         ended; NULL: no */
    int tensor_map_count;
    struct tw_tensor_map_description tensor_maps[TW_MAX_TENSOR_MAPS];
    int passed_count;
    struct tw_passed passed[TW_MAX_PASSED];
};

struct tw_parameter {
    char name[TW_NAME_SIZE];
    int slot;
    bool is_word;
    bool launch; /* passed to the launch, not compiled in */
    int count;
    int64_t values[TW_MAX_CHOICES]; /* integers, or word ids */
    bool has_absent;
    int64_t absent; /* of configurations that do not name it, as those from before there was it */
    bool has_untuned;
    int64_t untuned; /* of what is chosen for a problem without a result of its own */
    struct tw_expression *untuned_of; /* likewise, worked out before it is predicted; NULL: not */
};

struct tw_preset {
    char name[TW_NAME_SIZE];
    int64_t values[TW_MAX_PARAMETERS]; /* in the order of the parameters */
};

struct tw_implementation { /* in this order: see outline.c */
    char name[TW_NAME_SIZE];
    char *summary;
    uint32_t languages; /* a bit each (languages.h) */
    int min_arch;
    int exact_arch; /* 90: needs sm_90a, what sm_90 alone has; 0: any from min_arch on */
    int message_count;
    const char *disqualified_by[TW_MAX_MESSAGES + 1]; /* in a compiler's log; ended by NULL */
    struct tw_symbols *symbols; /* the description's, then parameters, then defines */
    int parameter_count;
    struct tw_parameter *parameters;
    int constraint_count;
    struct tw_expression *constraints[TW_MAX_RULES];
    /* A bit a constraint: whether sizes, strides or alignment may change what it says, and whether
     * a parameter of the launch may. */
    uint64_t sized_constraints, launch_constraints;
    int redundant_count;
    struct tw_expression *redundant[TW_MAX_RULES];
    int define_count;
    struct tw_named_expression defines[TW_MAX_RULES];
    /* A bit a define: whether evaluating it may tell of a ceil_div, a remainder, a minimum. */
    uint64_t telling_defines[TW_VISITED_KINDS];
    struct tw_expression *flops;     /* that it takes; NULL: those of the problem */
    struct tw_expression *workspace; /* bytes; NULL: none */
    struct tw_expression *counters;  /* bytes that are zero before and after; NULL: none */
    int launch_count;
    struct tw_launch_description *launches;
    int preset_count;
    struct tw_preset *presets;
};

/* Scalars that a case sets; the others keep their defaults. */
struct tw_case {
    double scalars[TW_MAX_ARGUMENTS]; /* by argument index; meaningful for scalars */
};

/* A preset to prefer to `default` for problems that nothing was stored for. */
struct tw_fallback {
    struct tw_expression *when; /* over dimensions, attributes, lets, strides and the device */
    int implementation;
    const struct tw_preset *preset;
};

/* A step of the ladder from a naive kernel to a good one. */
struct tw_rung {
    char kernel[TW_NAME_SIZE]; /* "": the description's own */
    char preset[TW_NAME_SIZE];
    char *shows; /* what is to be seen by it, in a few words */
};

struct tw_accuracy; /* accuracy.h */

struct tw_description {
    char kernel[TW_NAME_SIZE];
    char *summary;
    const char *text; /* its flat form as JSON: what it was read from, if that was flat */
    char *own_text;   /* the same; NULL: it is built in */
    char *origin;     /* file name for messages */
    char *directory;  /* where its templates are looked for before the built-in ones, or NULL */
    struct tw_symbols symbols;
    int dimension_count;
    struct tw_dimension dimensions[TW_MAX_DIMENSIONS];
    int attribute_count;
    struct tw_attribute attributes[TW_MAX_ATTRIBUTES];
    int refusal_count;
    struct tw_refusal refusals[TW_MAX_REFUSALS];
    int let_count;
    struct tw_named_expression lets[TW_MAX_LETS];
    int argument_count;
    struct tw_argument arguments[TW_MAX_ARGUMENTS];
    int case_count;
    struct tw_case cases[TW_MAX_CASES];
    struct tw_expression *flops; /* of one call; 0: rate in GB/s */
    struct tw_expression *bytes;
    double tolerance[TW_TYPE_COUNT]; /* floating types; 0 elsewhere */
    struct tw_expression *growth;
    struct tw_launch_description reference;
    struct tw_accuracy *accuracy; /* NULL: nothing is promised of errors */
    int implementation_count;
    struct tw_implementation *implementations;
    struct tw_outline *outline; /* what implementations are read from when they are needed
                                   (outline.h); NULL: they have been */
    int fallback_count;
    struct tw_fallback fallbacks[TW_MAX_FALLBACKS];
    int rung_count;
    struct tw_rung rungs[TW_MAX_RUNGS];
};

/* Reads a description from JSON text. `origin` names it in messages; `directory` (may be NULL) is
 * where its templates are. On failure the message names file, key and column. The caller frees
 * *out. */
tw_status tw_description_read(struct tw_description **out, const char *text, const char *origin,
                              const char *directory, struct tw_error *error);
/* As above, from a file; templates are looked for beside it. */
tw_status tw_description_load(struct tw_description **out, const char *path,
                              struct tw_error *error);
/* A description that is built in; for an unknown kernel the message suggests the nearest. */
tw_status tw_description_builtin(struct tw_description **out, const char *kernel,
                                 struct tw_error *error);
void tw_description_free(struct tw_description *description);

/* Index of an implementation by name, or -1. */
int tw_description_implementation(const struct tw_description *description, const char *name);
/* Finds a preset by name across implementations; false when there is none. */
bool tw_description_preset(const struct tw_description *description, const char *name,
                           int *implementation, const struct tw_preset **preset);

#endif
