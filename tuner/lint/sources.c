/* The templates that launches name, and the kernels in them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtime/description/accuracy.h"
#include "runtime/variant/agreement.h"
#include "runtime/variant/source.h"
#include "tuner/lint/passes.h"

/* What a word in front of a parameter's type may be. */
static bool is_qualifier(const char *word, size_t length) {
    static const char *const qualifiers[] = {"TW_GLOBAL", "TW_RESTRICT", "const", "volatile",
                                             "restrict",  "unsigned",    NULL};
    for (int i = 0; qualifiers[i] != NULL; i++)
        if (strlen(qualifiers[i]) == length && strncmp(qualifiers[i], word, length) == 0)
            return true;
    return false;
}

/* Whether the text is TYPE NAME or TYPE *NAME, qualified or not: no macro that may be more. */
static bool is_plain(const char *text, size_t length) {
    int words = 0;
    for (size_t i = 0; i < length;) {
        size_t size = 0;
        while (i + size < length &&
               (isalnum((unsigned char)text[i + size]) || text[i + size] == '_'))
            size++;
        if (size == 0 && text[i] != '*' && !isspace((unsigned char)text[i]))
            return false;
        words += size > 0 && !is_qualifier(text + i, size);
        i += size > 0 ? size : 1;
    }
    return words == 2;
}

/* How many parameters a kernel has whose list begins at `at`; -1 when only a compiler knows, and
 * compiling says it. `pointers` is a bit for each. */
static int count_parameters(const char *at, uint64_t *pointers) {
    int count = 0;
    *pointers = 0;
    at += strspn(at, " \t\r\n");
    if (*at != '(')
        return -1;
    size_t end = strcspn(at, ")");
    for (const char *part = at + 1; part < at + end; count++) {
        size_t length = strcspn(part, ",)");
        if (count == TW_MAX_PASSED + 1 || !is_plain(part, length))
            return -1;
        *pointers |= (uint64_t)(memchr(part, '*', length) != NULL) << count;
        part += length + 1;
    }
    return count;
}

static bool is_memory(const struct tw_description *d, const struct tw_passed *passed) {
    return passed->kind == TW_PASS_BEFORE || passed->kind == TW_PASS_WORKSPACE ||
           passed->kind == TW_PASS_COUNTERS ||
           (passed->kind == TW_PASS_ARGUMENT &&
            d->arguments[passed->index].kind == TW_ARGUMENT_BUFFER);
}

/* As far as the text tells without a compiler. */
static void check_kernel(struct lint_run *run, const struct tw_launch_description *launch,
                         const char *text, const char *where) {
    uint64_t pointers;
    const char *list = tw_kernel_find(text, launch->function);
    if (list == NULL) {
        lint_add(run, LINT_ERROR, where, launch->function,
                 "the templates have no TW_KERNEL(%s), the launch's \"function\"",
                 launch->function);
        return;
    }
    int count = count_parameters(list, &pointers);
    if (count >= 0 && count != launch->passed_count) {
        lint_add(run, LINT_ERROR, where, launch->function,
                 "the kernel %s has %d parameters, and \"pass\" gives it %d", launch->function,
                 count, launch->passed_count);
        return;
    }
    for (int i = 0; i < count; i++)
        if ((pointers >> i & 1) != is_memory(run->description, &launch->passed[i]))
            lint_add(run, LINT_ERROR, where, &launch->passed[i],
                     "parameter %d of the kernel %s is %s, and what \"pass\" gives it is %s", i + 1,
                     launch->function, pointers >> i & 1 ? "a pointer" : "no pointer",
                     pointers >> i & 1 ? "no buffer" : "a buffer");
}

static void check_templates(struct lint_run *run, const struct tw_launch_description *launch,
                            const char *where) {
    struct tw_text text = {0};
    bool there = true;
    for (int i = 0; i < launch->template_count; i++) {
        struct tw_error error;
        tw_status status =
            tw_source_template(run->description, launch->templates[i], &text, &error);
        run->no_memory |= status == TW_NO_MEMORY;
        if (status == TW_OK) {
            tw_text_add(&text, "\n", 1);
            continue;
        }
        lint_add(run, LINT_ERROR, where, launch->templates[i], "%s", error.message);
        there = false;
    }
    run->no_memory |= text.failed;
    if (there && !text.failed)
        check_kernel(run, launch, text.data, where);
    tw_text_free(&text);
}

void lint_sources(struct lint_run *run) {
    const struct tw_description *d = run->description;
    check_templates(run, &d->reference, "reference");
    if (d->accuracy != NULL)
        check_templates(run, &d->accuracy->plain, "accuracy.plain");
    for (int i = 0; i < d->implementation_count; i++) {
        const struct tw_implementation *in = &d->implementations[i];
        for (int l = 0; l < in->launch_count; l++) {
            char where[128];
            snprintf(where, sizeof where, "implementations.%s.launches[%d]", in->name, l);
            check_templates(run, &in->launches[l], where);
        }
    }
}
