/* The source with the loop: the template's kernel becomes a function, since its body may return
 * early, and a new kernel of the same name and parameters calls it pass after pass. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tuner/ladder/looped.h"

/* The function is handed the shared memory: OpenCL declares that in kernels only. */
static const char before[] =
    "#pragma push_macro(\"TW_KERNEL\")\n"
    "#pragma push_macro(\"TW_SHARED\")\n"
    "#undef TW_KERNEL\n"
    "#undef TW_SHARED\n"
    "#define TW_KERNEL(name) TW_DEVICE void name##_pass TW_PASS_PARAMETERS\n"
    "#define TW_PASS_PARAMETERS(...) (TW_LOCAL tw_u8 *tw_pass_shared, __VA_ARGS__)\n"
    "#define TW_SHARED(type, name, count) TW_LOCAL type *name = (TW_LOCAL type *)tw_pass_shared\n";

/* Every pass adds a zero to its pointers that the compiler does not know for one. Without it what
 * each pass loads again could be loaded once, before the loop. An offset, unlike an opaque pointer,
 * leaves the pointer in its address space. */
static const char after[] =
    "#pragma pop_macro(\"TW_KERNEL\")\n"
    "#pragma pop_macro(\"TW_SHARED\")\n"
    "#if defined(TW_CUDA)\n"
    "#define TW_PASS_ZERO int tw_zero = 0\n"
    "#define TW_PASS_RENEW asm volatile(\"\" : \"+r\"(tw_zero) : : \"memory\")\n"
    "#else\n"
    "#define TW_PASS_ZERO volatile int tw_volatile_zero = 0\n"
    "#define TW_PASS_RENEW int tw_zero = tw_volatile_zero\n"
    "#endif\n";

struct span {
    const char *begin;
    size_t length;
};

/* What is between the parentheses behind TW_KERNEL(function). */
static bool find_parameters(const char *rendered, const char *function, struct span *out) {
    char head[TW_NAME_SIZE + 16];
    snprintf(head, sizeof head, "TW_KERNEL(%s)", function);
    const char *at = strstr(rendered, head);
    if (at == NULL)
        return false;
    at += strlen(head);
    at += strspn(at, " \t\r\n");
    if (*at != '(')
        return false;
    out->begin = at + 1;
    out->length = strcspn(out->begin, "()");
    return out->begin[out->length] == ')';
}

/* The next parameter: its name, the last word, and whether it is a pointer. */
static bool next_parameter(struct span *left, struct span *name, bool *is_pointer) {
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
    *is_pointer = memchr(left->begin, '*', length) != NULL;
    left->begin += length + (comma != NULL);
    left->length -= length + (comma != NULL);
    return name->length > 0;
}

static bool add_call(struct tw_text *source, const struct tw_launch_description *launch,
                     struct span parameters) {
    tw_text_print(source, "        %s_pass(tw_pass_shared", launch->function);
    for (int i = 0; i < launch->passed_count; i++) {
        struct span name;
        bool is_pointer;
        if (!next_parameter(&parameters, &name, &is_pointer))
            return false;
        tw_text_print(source, ", %.*s%s", (int)name.length, name.begin,
                      is_pointer ? " + tw_zero" : "");
    }
    tw_text_print(source, ");\n");
    return parameters.length == 0;
}

tw_status looped_source(const struct tw_launch_description *launch, const char *rendered,
                        uint32_t shared, int passes, struct tw_text *source,
                        struct tw_error *error) {
    char first[TW_PATH_SIZE + 16];
    struct span parameters;
    snprintf(first, sizeof first, "#line 1 \"%s\"\n", launch->templates[0]);
    const char *templates = strstr(rendered, first);
    bool read = templates != NULL && find_parameters(templates, launch->function, &parameters);
    if (read) {
        tw_text_add(source, rendered, (size_t)(templates - rendered));
        tw_text_print(source, "%s%s%s", before, templates, after);
        tw_text_print(source, "TW_KERNEL(%s)(%.*s)\n{\n", launch->function, (int)parameters.length,
                      parameters.begin);
        /* Bytes the kernel's shared memory must have: OpenCL knows no arrays of none. */
        tw_text_print(source, "    TW_SHARED(tw_u8, tw_pass_shared, %u);\n    TW_PASS_ZERO;\n",
                      shared > 0 ? shared : 1);
        tw_text_print(source,
                      "    TW_UNROLL_BY(1)\n    for (int tw_pass = 0; tw_pass < %d; "
                      "tw_pass++) {\n        TW_PASS_RENEW;\n",
                      passes);
        read = add_call(source, launch, parameters);
        /* Shared memory is the next pass's, and passes are to follow each other. */
        tw_text_print(source, "        __syncthreads();\n    }\n}\n");
    }
    if (!read)
        return tw_fail(error, TW_BAD_DESCRIPTION,
                       "%s: no TW_KERNEL(%s) with %d plain parameters to put a loop into",
                       launch->templates[0], launch->function, launch->passed_count);
    if (source->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    return TW_OK;
}
