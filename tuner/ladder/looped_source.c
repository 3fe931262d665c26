/* The source with the loop: the template's kernel becomes a function, since its body may return
 * early, and a new kernel of the same name and parameters calls it pass after pass. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tuner/ladder/looped.h"

/* The function is handed the shared memory, which OpenCL declares in kernels only.
 *
 * Every pass adds a zero to its pointers that the compiler does not know for one: without it what
 * each pass loads could be loaded once, before the loop. An offset, unlike an opaque pointer,
 * leaves accesses in their address space. Dimensions and strides get one as well, so that a pass
 * works out its indices as a launch does: kept over the loop these took up to twice the registers.
 * On CUDA the zero is the high bits of a multiprocessor's number: past the compiler, ptxas must not
 * know it either, and so no constant will do. */
static const char macros[] =
    "#undef TW_SHARED\n"
    "#define TW_SHARED(type, name, count) TW_LOCAL type *name = (TW_LOCAL type *)tw_pass_shared\n"
    "#if defined(TW_CUDA)\n"
    "#define TW_PASS_SHARED(bytes) extern __shared__ __align__(16) tw_u8 tw_pass_shared[]\n"
    "#define TW_PASS_START unsigned int tw_unit; "
    "asm(\"mov.u32 %0, %%smid;\" : \"=r\"(tw_unit))\n"
    "#define TW_PASS_BEGIN int tw_zero = tw_pass & (int)(tw_unit >> 20)\n"
    "#else\n"
    "#define TW_PASS_SHARED(bytes) __local tw_u8 tw_pass_shared[bytes + TW_PASS_SUBGROUP] "
    "__attribute__((aligned(16)))\n"
    "#ifdef TW_SUBGROUP\n" /* it is declared in kernels only too, and has 8 bytes a thread */
    "#undef TW_SUBGROUP\n"
    "#define TW_SUBGROUP(name) tw_subgroup name = (tw_subgroup)(tw_pass_shared + (TW_PASS_BYTES + "
    "7) "
    "/ 8 * 8)\n"
    "#define TW_PASS_SUBGROUP (8 + 8 * TW_BLOCK_X * TW_BLOCK_Y * TW_BLOCK_Z)\n"
    "#else\n"
    "#define TW_PASS_SUBGROUP 0\n"
    "#endif\n"
    "#define TW_PASS_START volatile int tw_volatile_zero = 0\n"
    "#define TW_PASS_BEGIN int tw_zero = tw_volatile_zero\n"
    "#endif\n";

struct span {
    const char *begin;
    size_t length;
};

/* TW_KERNEL(function), and what is between the parentheses behind it. */
static bool find_kernel(const char *rendered, const char *function, struct span *head,
                        struct span *parameters) {
    char text[TW_NAME_SIZE + 16];
    head->length = (size_t)snprintf(text, sizeof text, "TW_KERNEL(%s)", function);
    head->begin = strstr(rendered, text);
    if (head->begin == NULL)
        return false;
    const char *at = head->begin + head->length;
    at += strspn(at, " \t\r\n");
    if (*at != '(')
        return false;
    parameters->begin = at + 1;
    parameters->length = strcspn(parameters->begin, "()");
    return parameters->begin[parameters->length] == ')';
}

/* The next parameter: its name, the last word, and whether a zero is added to it. */
static bool next_parameter(struct span *left, struct span *name, bool *varies) {
    const char *comma = memchr(left->begin, ',', left->length);
    size_t length = comma != NULL ? (size_t)(comma - left->begin) : left->length;
    const char *end = left->begin + length;
    while (end > left->begin && isspace((unsigned char)end[-1]))
        end--;
    name->begin = end;
    while (name->begin > left->begin &&
           (isalnum((unsigned char)name->begin[-1]) || name->begin[-1] == '_'))
        name->begin--;
    name->length = (size_t)(end - name->begin);
    const char *type = left->begin + strspn(left->begin, " \t\r\n");
    *varies = memchr(left->begin, '*', length) != NULL || strncmp(type, "int ", 4) == 0;
    left->begin += length + (comma != NULL);
    left->length -= length + (comma != NULL);
    return name->length > 0;
}

static void add_function(struct tw_text *source, const struct tw_launch_description *launch,
                         const char *rendered, uint32_t shared, struct span head,
                         struct span parameters) {
    tw_text_add(source, rendered, (size_t)(head.begin - rendered));
    tw_text_print(source, "#define TW_PASS_BYTES %u\n", shared);
    tw_text_print(source, "%sTW_DEVICE void %s_pass(TW_LOCAL tw_u8 *tw_pass_shared, %s\n", macros,
                  launch->function, parameters.begin);
}

static bool add_call(struct tw_text *source, const struct tw_launch_description *launch,
                     struct span parameters) {
    tw_text_print(source, "        %s_pass(tw_pass_shared", launch->function);
    for (int i = 0; i < launch->passed_count; i++) {
        struct span name;
        bool varies;
        if (!next_parameter(&parameters, &name, &varies))
            return false;
        tw_text_print(source, ", %.*s%s", (int)name.length, name.begin, varies ? " + tw_zero" : "");
    }
    tw_text_print(source, ");\n");
    return parameters.length == 0;
}

/* Shared memory is the next pass's as well, hence the barrier. OpenCL has no arrays of no bytes. */
static bool add_kernel(struct tw_text *source, const struct tw_launch_description *launch,
                       struct span parameters, uint32_t shared, int passes) {
    tw_text_print(source, "TW_KERNEL(%s)(%.*s)\n{\n", launch->function, (int)parameters.length,
                  parameters.begin);
    tw_text_print(source, "    TW_PASS_SHARED(%u);\n    TW_PASS_START;\n    TW_UNROLL_BY(1)\n",
                  shared > 0 ? shared : 1);
    tw_text_print(source, "    for (int tw_pass = 0; tw_pass < %d; tw_pass++) {\n", passes);
    tw_text_print(source, "        TW_PASS_BEGIN;\n");
    bool called = add_call(source, launch, parameters);
    tw_text_print(source, "        __syncthreads();\n    }\n}\n");
    return called;
}

tw_status looped_source(const struct tw_launch_description *launch, const char *rendered,
                        uint32_t shared, int passes, struct tw_text *source,
                        struct tw_error *error) {
    struct span head, parameters;
    bool done = find_kernel(rendered, launch->function, &head, &parameters);
    if (done) {
        add_function(source, launch, rendered, shared, head, parameters);
        done = add_kernel(source, launch, parameters, shared, passes);
    }
    if (!done)
        return tw_fail(error, TW_INVALID,
                       "%s: no TW_KERNEL(%s) with %d plain parameters to put a loop into",
                       launch->templates[0], launch->function, launch->passed_count);
    if (source->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return TW_OK;
}
