/* A kernel's machine code as NVIDIA's disassemblers print it, read into instructions.
 *
 * Read are listings of `nvdisasm -c` and `cuobjdump -sass` for sm_70 and later, where an
 * instruction has 16 bytes. */
#ifndef TUNER_INSPECT_SASS_H
#define TUNER_INSPECT_SASS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"

/* What an instruction does, as far as inspecting a kernel needs it; a word for reports. */
#define SASS_KINDS_OF(X)                                                                           \
    X(FFMA, "ffma")                                                                                \
    X(FFMA2, "ffma2") /* two at once, of register pairs */                                         \
    X(DFMA, "dfma")                                                                                \
    X(TENSOR, "tensor")                                                                            \
    X(FLOAT, "other_float")                                                                        \
    X(INTEGER, "integer")                                                                          \
    X(MOVE, "moves")                                                                               \
    X(SHARED_LOAD, "lds")                                                                          \
    X(SHARED_STORE, "sts")                                                                         \
    X(GLOBAL_LOAD, "ldg")                                                                          \
    X(GLOBAL_STORE, "stg")                                                                         \
    X(LOCAL_LOAD, "ldl")                                                                           \
    X(LOCAL_STORE, "stl")                                                                          \
    X(ASYNC_COPY, "ldgsts")                                                                        \
    X(BULK_COPY, "bulk_copies")                                                                    \
    X(BARRIER, "barriers")                                                                         \
    X(BRANCH, "branches")                                                                          \
    X(EXIT, "exits")                                                                               \
    X(PADDING, "padding")                                                                          \
    X(OTHER, "other")

enum sass_kind {
#define SASS_KIND_ENUM(name, word) SASS_##name,
    SASS_KINDS_OF(SASS_KIND_ENUM)
#undef SASS_KIND_ENUM
        SASS_KINDS
};

enum {
    SASS_SOURCES = 4,
    SASS_NO_REGISTER = -1,
    SASS_NO_TARGET = -1,
    SASS_NO_WAIT = -1,
    SASS_OPCODE_SIZE = 48
};

/* Something an instruction reads, in its operand slot. */
struct sass_source {
    int number; /* of the general register; SASS_NO_REGISTER for constants, RZ and the like */
    bool reuse; /* kept in the slot's operand cache for the next instruction */
};

struct sass_instruction {
    unsigned address;
    enum sass_kind kind;
    char opcode[SASS_OPCODE_SIZE]; /* with its modifiers: "LDG.E.128.CONSTANT" */
    bool never;                    /* guarded by @!PT: issued, and does nothing */
    bool conditional;              /* guarded by another predicate, or has one as an operand */
    int source_count;
    struct sass_source sources[SASS_SOURCES];
    int target; /* branches: the index of the instruction they go to, or SASS_NO_TARGET */
    /* WARPGROUP.DEPBAR: groups of products that may be in flight after it; else SASS_NO_WAIT */
    int in_flight;
};

struct sass {
    size_t count, capacity;
    struct sass_instruction *instructions;
};

/* Reads the code of `function` from a listing. TW_INVALID, with the listing's line, for what is no
 * such listing, is cut off, or has no such function. Free with sass_free in every case. */
tw_status sass_read(struct sass *sass, const char *listing, const char *function,
                    struct tw_error *error);
void sass_free(struct sass *sass);

/* opcodes.c: what an instruction does, by its opcode; HFMA2 and IMAD may be moves, which their
 * operands tell. */
enum sass_kind sass_kind_of(const char *opcode, const char *operands);
/* Whether one of the opcode's modifiers is this one. */
bool sass_has_modifier(const char *opcode, const char *modifier);
/* The bits that a thread moves with an access to memory. */
int sass_width(const char *opcode);

#endif
