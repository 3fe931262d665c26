/* Reading a disassembler's listing. */
#include "tuner/inspect/sass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_BYTES = 16, LINE_SIZE = 512, LABEL_SIZE = 64, LAST_REGISTER = 255 };

/* nvdisasm names the places that branches go to, cuobjdump gives their addresses. */
struct label {
    char name[LABEL_SIZE];
    size_t instruction; /* that it stands before */
};

struct reading {
    struct sass *sass;
    struct tw_error *error;
    int line;
    bool inside; /* of the function */
    size_t label_count;
    struct label *labels;
    size_t branch_count;
    struct branch {
        size_t instruction;
        int line;
        char target[LABEL_SIZE]; /* a label's name, or "0x1c0" */
    } * branches;
};

void sass_free(struct sass *sass) {
    free(sass->instructions);
    *sass = (struct sass){0};
}

/* ---- Operands ---- */

static char *trim(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Cuts off the first operand; commas within brackets are its own. NULL after the last. */
static char *next_operand(char **rest) {
    char *operand = *rest;
    int depth = 0;
    if (operand == NULL || *trim(operand) == '\0')
        return NULL;
    char *at = operand;
    for (; *at != '\0' && (*at != ',' || depth > 0); at++)
        depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
    *rest = *at == ',' ? at + 1 : NULL;
    *at = '\0';
    return trim(operand);
}

static bool is_predicate(const char *operand) {
    operand += *operand == '!';
    operand += *operand == 'U';
    return operand[0] == 'P' && (operand[1] == 'T' || isdigit((unsigned char)operand[1]));
}

/* "-R12.reuse", "|R3|", "R4.64", "RZ" */
static bool is_register(const char *operand, int *number) {
    operand += strspn(operand, "-~|!");
    *number = SASS_NO_REGISTER;
    if (operand[0] != 'R' || (operand[1] != 'Z' && !isdigit((unsigned char)operand[1])))
        return false;
    if (operand[1] == 'Z')
        return true;
    unsigned long named = strtoul(operand + 1, NULL, 10);
    *number = named <= LAST_REGISTER ? (int)named : SASS_NO_REGISTER;
    return named <= LAST_REGISTER;
}

/* The first operand is what the instruction writes, unless it is none of the general registers. */
static void read_sources(struct sass_instruction *in, char *operands) {
    char *rest = operands;
    bool first = true;
    for (char *operand; (operand = next_operand(&rest)) != NULL; first = false) {
        int number;
        bool is_general = is_register(operand, &number);
        if (is_predicate(operand) || (first && is_general) || in->source_count == SASS_SOURCES)
            continue;
        in->sources[in->source_count++] = (struct sass_source){
            .number = number, .reuse = is_general && strstr(operand, ".reuse") != NULL};
    }
}

/* ---- Lines ---- */

static tw_status no_memory(struct reading *r) {
    return tw_fail(r->error, TW_NO_MEMORY, "out of memory for a listing");
}

static tw_status add_label(struct reading *r, const char *name) {
    struct label *labels = realloc(r->labels, (r->label_count + 1) * sizeof *labels);
    if (labels == NULL)
        return no_memory(r);
    r->labels = labels;
    labels[r->label_count] = (struct label){.instruction = r->sass->count};
    snprintf(labels[r->label_count++].name, LABEL_SIZE, "%s", name);
    return TW_OK;
}

/* "`(.L_x_2)" or "0x1c0", the last operand; others before it are conditions. */
static tw_status add_branch(struct reading *r, struct sass_instruction *in, const char *operands) {
    const char *last = strrchr(operands, ',');
    const char *target = last != NULL ? last + 1 : operands;
    target += strspn(target, " `(");
    in->conditional = in->conditional || last != NULL;
    struct branch *branches = realloc(r->branches, (r->branch_count + 1) * sizeof *branches);
    if (branches == NULL)
        return no_memory(r);
    r->branches = branches;
    branches[r->branch_count] = (struct branch){.instruction = r->sass->count, .line = r->line};
    snprintf(branches[r->branch_count++].target, LABEL_SIZE, "%.*s", (int)strcspn(target, ") "),
             target);
    return TW_OK;
}

static tw_status add_instruction(struct reading *r, const struct sass_instruction *in) {
    struct sass *sass = r->sass;
    if (sass->count == sass->capacity) {
        size_t capacity = sass->capacity > 0 ? 2 * sass->capacity : 512;
        struct sass_instruction *grown =
            realloc(sass->instructions, capacity * sizeof *sass->instructions);
        if (grown == NULL)
            return no_memory(r);
        sass->instructions = grown;
        sass->capacity = capacity;
    }
    sass->instructions[sass->count++] = *in;
    return TW_OK;
}

/* "WARPGROUP.DEPBAR.LE gsb0, 0x1" */
static int groups_in_flight(const char *opcode, const char *operands) {
    const char *last = strrchr(operands, ',');
    if (last == NULL || strncmp(opcode, "WARPGROUP.DEPBAR", 16) != 0)
        return SASS_NO_WAIT;
    return (int)strtol(last + 1, NULL, 0);
}

/* "@!P0 BRA `(.L_x_2)", what stands between the address and the semicolon. */
static tw_status read_instruction(struct reading *r, unsigned address, char *text) {
    struct sass_instruction in = {.address = address, .target = SASS_NO_TARGET};
    if (address != r->sass->count * INSTRUCTION_BYTES)
        return tw_fail(r->error, TW_INVALID,
                       "line %d of the listing: the instruction is at 0x%x, and should be at 0x%zx",
                       r->line, address, r->sass->count * INSTRUCTION_BYTES);
    text = trim(text);
    if (*text == '@') {
        size_t guard = strcspn(text, " \t");
        in.never = guard == 4 && strncmp(text, "@!PT", 4) == 0;
        in.conditional = !in.never;
        text = trim(text + guard);
    }
    size_t length = strcspn(text, " \t");
    if (length == 0 || length >= sizeof in.opcode || !isupper((unsigned char)*text))
        return tw_fail(r->error, TW_INVALID, "line %d of the listing: no instruction: %.80s",
                       r->line, text);
    snprintf(in.opcode, sizeof in.opcode, "%.*s", (int)length, text);
    char *operands = trim(text + length);
    in.kind = sass_kind_of(in.opcode, operands);
    in.in_flight = groups_in_flight(in.opcode, operands);
    tw_status status = TW_OK;
    /* BRX and its kin go where a register says. */
    if (in.kind == SASS_BRANCH &&
        (strncmp(in.opcode, "BRA", 3) == 0 || strncmp(in.opcode, "CALL", 4) == 0))
        status = add_branch(r, &in, operands);
    else
        read_sources(&in, operands);
    return status == TW_OK ? add_instruction(r, &in) : status;
}

/* Whether a line begins a function's code, and which one's: "\t\tFunction : NAME" or ".text.NAME:".
 */
static const char *begun_function(char *line) {
    if (strncmp(line, "Function : ", 11) == 0)
        return line + 11;
    size_t length = strlen(line);
    if (strncmp(line, ".text.", 6) != 0 || line[length - 1] != ':')
        return NULL;
    line[length - 1] = '\0';
    return line + 6;
}

static tw_status read_line(struct reading *r, char *line, const char *function) {
    line = trim(line);
    const char *begun = begun_function(line);
    if (begun != NULL) {
        r->inside = strcmp(begun, function) == 0;
        return TW_OK;
    }
    if (!r->inside)
        return TW_OK;
    size_t length = strlen(line);
    if (line[0] == '.' && length > 1 && line[length - 1] == ':') {
        line[length - 1] = '\0';
        return add_label(r, line);
    }
    unsigned address;
    int begin = 0;
    /* The second half of an instruction's bits stands on a line of its own, as "/" "* 0x..." */
    if (line[0] != '/' || line[1] != '*' || !isxdigit((unsigned char)line[2]) ||
        sscanf(line, "/*%x*/%n", &address, &begin) != 1 || begin == 0)
        return TW_OK;
    char *end = strchr(line + begin, ';');
    if (end == NULL)
        return tw_fail(r->error, TW_INVALID, "line %d of the listing is cut off: %.80s", r->line,
                       line);
    *end = '\0';
    return read_instruction(r, address, line + begin);
}

/* ---- The whole ---- */

static tw_status resolve(struct reading *r, const struct branch *branch) {
    struct sass *sass = r->sass;
    struct sass_instruction *in = &sass->instructions[branch->instruction];
    size_t target = sass->count;
    if (strncmp(branch->target, "0x", 2) == 0)
        target = strtoul(branch->target, NULL, 16) / INSTRUCTION_BYTES;
    for (size_t i = 0; i < r->label_count && target == sass->count; i++)
        if (strcmp(r->labels[i].name, branch->target) == 0)
            target = r->labels[i].instruction;
    if (target >= sass->count)
        return tw_fail(r->error, TW_INVALID,
                       "line %d of the listing branches to %s, which is not in it", branch->line,
                       branch->target);
    in->target = (int)target;
    return TW_OK;
}

static tw_status check_end(const struct reading *r, const char *function) {
    const struct sass *sass = r->sass;
    if (sass->count == 0)
        return tw_fail(r->error, TW_INVALID, "the listing has no code of the function %s",
                       function);
    for (size_t i = 0; i < sass->count; i++)
        if (sass->instructions[i].kind == SASS_EXIT)
            return TW_OK;
    return tw_fail(r->error, TW_INVALID, "the listing is cut off: %s never exits", function);
}

tw_status sass_read(struct sass *sass, const char *listing, const char *function,
                    struct tw_error *error) {
    *sass = (struct sass){0};
    struct reading r = {.sass = sass, .error = error};
    tw_status status = TW_OK;
    for (const char *at = listing; *at != '\0' && status == TW_OK;) {
        char line[LINE_SIZE];
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        r.line++;
        status = read_line(&r, line, function);
        at += length + (at[length] == '\n');
    }
    if (status == TW_OK)
        status = check_end(&r, function);
    for (size_t i = 0; i < r.branch_count && status == TW_OK; i++)
        status = resolve(&r, &r.branches[i]);
    free(r.labels);
    free(r.branches);
    return status;
}
