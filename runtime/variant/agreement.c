#include "runtime/variant/agreement.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtime/variant/preprocess.h"

/* ---- Parameters ---- */

/* What a tensor map is on the host and as a parameter: a CUtensorMap. */
enum { TENSOR_MAP_BYTES = 128 };

static void set_name(struct tw_expected_parameter *parameter, const char *name, const char *tail) {
    snprintf(parameter->name, sizeof parameter->name, "%.47s%s", name, tail);
}

static void expect_argument(const struct tw_problem *problem, int index,
                            struct tw_expected_parameter *parameter) {
    const struct tw_argument *argument = &problem->description->arguments[index];
    set_name(parameter, argument->name, "");
    if (argument->kind == TW_ARGUMENT_STRIDE) {
        parameter->bytes = sizeof(int32_t);
    } else if (argument->kind == TW_ARGUMENT_SCALAR) {
        const struct tw_type_info *type = tw_type_info(tw_problem_type(problem, index));
        parameter->bytes = (uint32_t)type->bytes;
        /* Narrower ones may be structures or integers to the compiler. */
        parameter->floating = type->floating && type->bytes >= sizeof(float);
    }
}

void tw_launch_expected(const struct tw_problem *problem, const struct tw_implementation *in,
                        const struct tw_launch_description *launch, const int64_t *values,
                        uint32_t shared, struct tw_expected *expected) {
    _Static_assert(TW_MAX_PASSED <= (int)TW_MAX_EXPECTED, "all that is passed is expected");
    const struct tw_description *d = problem->description;
    const struct tw_symbols *symbols = in != NULL ? in->symbols : &d->symbols;
    *expected = (struct tw_expected){.shared = shared};
    for (int i = 0; i < launch->passed_count; i++) {
        if (!tw_problem_passes(problem, &launch->passed[i], values))
            continue;
        struct tw_expected_parameter *parameter = &expected->parameters[expected->count++];
        int index = launch->passed[i].index;
        switch (launch->passed[i].kind) {
        case TW_PASS_ARGUMENT:
            expect_argument(problem, index, parameter);
            break;
        case TW_PASS_BEFORE:
            set_name(parameter, d->arguments[index].name, ".in");
            break;
        case TW_PASS_SLOT:
            set_name(parameter, symbols->names[index], "");
            parameter->bytes = sizeof(int32_t);
            break;
        case TW_PASS_WORKSPACE:
            set_name(parameter, "workspace", "");
            break;
        case TW_PASS_COUNTERS:
            set_name(parameter, "counters", "");
            break;
        case TW_PASS_TENSOR_MAP:
            set_name(parameter, launch->tensor_maps[index].name, "");
            parameter->bytes = TENSOR_MAP_BYTES;
            break;
        }
    }
}

/* ---- Shared memory ---- */

/* What a compiler's log shows of a check that does not compile. */
#define CHECK "tw_shared_is_what_the_launch_gives"

/* Behind a comment or a string that begins at `at`; `at` itself where none does. */
static const char *skip_quiet(const char *at) {
    const char *end = at;
    if (at[0] == '/' && at[1] == '*')
        return tw_comment_end(at);
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (*at != '"' && *at != '\'')
        return at;
    for (end = at + 1; *end != '\0' && *end != '\n' && *end != *at; end++)
        end += *end == '\\' && end[1] != '\0';
    return *end == *at ? end + 1 : end;
}

/* The next `name` that is a word of the code; NULL when there is none before `end`. */
static const char *find_word(const char *at, const char *end, const char *name) {
    size_t length = strlen(name);
    while (at < end) {
        const char *behind = skip_quiet(at);
        if (behind > at) {
            at = behind;
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            size_t size = 1;
            while (isalnum((unsigned char)at[size]) || at[size] == '_')
                size++;
            if (size == length && strncmp(at, name, length) == 0)
                return at;
            at += size;
        } else {
            at++;
        }
    }
    return NULL;
}

/* Behind the bracket that closes the one at `at`; the text's end when none does. */
static const char *skip_brackets(const char *at, char open, char close) {
    int depth = 0;
    while (*at != '\0') {
        const char *behind = skip_quiet(at);
        if (behind > at) {
            at = behind;
            continue;
        }
        depth += (*at == open) - (*at == close);
        at++;
        if (depth == 0)
            return at;
    }
    return at;
}

const char *tw_kernel_find(const char *source, const char *function) {
    const char *limit = source + strlen(source);
    const char *at = source;
    size_t length = strlen(function);
    while ((at = find_word(at, limit, "TW_KERNEL")) != NULL) {
        at += sizeof "TW_KERNEL" - 1;
        const char *name = at + strspn(at, " \t\n");
        if (*name != '(')
            continue;
        name += 1 + strspn(name + 1, " \t\n");
        if (strncmp(name, function, length) != 0 || strchr(" \t\n)", name[length]) == NULL)
            continue;
        const char *close = strchr(name, ')');
        return close != NULL ? close + 1 : NULL;
    }
    return NULL;
}

/* The body of the kernel, from its brace on; *end is behind it. NULL when the text has none of that
 * name. */
static const char *find_body(const char *source, const char *function, const char **end) {
    const char *head = tw_kernel_find(source, function);
    if (head == NULL)
        return NULL;
    const char *body = head + strcspn(head, "{");
    *end = skip_brackets(body, '{', '}');
    return body;
}

/* TYPE, NAME, COUNT between parentheses: where the second and third begin. */
static bool split(const char *at, const char *end, const char *parts[3]) {
    int count = 1;
    parts[0] = at;
    while (at < end && count < 3) {
        const char *behind = skip_quiet(at);
        if (behind > at)
            at = behind;
        else if (*at == '(')
            at = skip_brackets(at, '(', ')');
        else if (*at++ == ',')
            parts[count++] = at;
    }
    return count == 3;
}

void tw_shared_checked(const char *source, const char *function, uint32_t bytes,
                       struct tw_text *checked) {
    const char *end = source, *from = source;
    const char *at = find_body(source, function, &end);
    while (at != NULL && (at = find_word(at, end, "TW_SHARED")) != NULL) {
        const char *parts[3];
        at += sizeof "TW_SHARED" - 1;
        const char *open = at + strspn(at, " \t");
        if (*open != '(')
            continue;
        const char *behind = skip_brackets(open, '(', ')');
        if (!split(open + 1, behind - 1, parts))
            continue;
        tw_text_add(checked, from, (size_t)(behind - from));
        tw_text_print(checked, "; typedef char " CHECK "[sizeof(%.*s) * (%.*s) == %u ? 1 : -1]",
                      (int)(parts[1] - 1 - parts[0]), parts[0], (int)(behind - 1 - parts[2]),
                      parts[2], bytes);
        from = at = behind;
    }
    tw_text_print(checked, "%s", from);
}

tw_status tw_shared_explain(tw_status status, const char *log, const char *function, uint32_t bytes,
                            struct tw_error *error) {
    if (log == NULL || strstr(log, CHECK) == NULL)
        return status;
    return tw_fail(error, TW_BAD_DESCRIPTION,
                   "TW_SHARED of the kernel %s does not take the %u bytes that the launch's "
                   "\"shared\" gives it",
                   function, bytes);
}
