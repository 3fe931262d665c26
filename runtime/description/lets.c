#include "runtime/description/lets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/description.h"
#include "runtime/description/tokens.h"

enum { MAX_LET_PARAMETERS = 4, MAX_TEXT = 16384 };

struct let {
    char name[TW_NAME_SIZE];
    int parameter_count;
    char parameters[MAX_LET_PARAMETERS][TW_NAME_SIZE];
    struct tw_json json;
};

struct tw_lets {
    int count;
    struct let list[TW_MAX_RULES];
};

/* A let being put in, and those that it was found in. */
struct frame {
    const struct frame *outer;
    const struct let *let; /* NULL: the expression itself */
    char *arguments[MAX_LET_PARAMETERS];
};

static bool take_name(char out[TW_NAME_SIZE], const struct tw_token *token) {
    if (token->kind != TW_TOKEN_NAME || token->length >= TW_NAME_SIZE)
        return false;
    memcpy(out, token->start, token->length);
    out[token->length] = '\0';
    return true;
}

/* "NAME" or "NAME(A, B)". */
static bool read_head(struct let *let, const char *head) {
    struct tw_tokens tokens;
    tw_tokens_read(&tokens, head);
    const struct tw_token *list = tokens.list;
    int last = tokens.count - 1;
    if (last < 0 || !take_name(let->name, &list[0]))
        return false;
    if (last == 0)
        return true;
    if (last < 3 || list[1].kind != TW_TOKEN_OPEN || list[last].kind != TW_TOKEN_CLOSE)
        return false;
    for (int i = 2; i < last; i += 2) {
        if (let->parameter_count == MAX_LET_PARAMETERS ||
            !take_name(let->parameters[let->parameter_count++], &list[i]))
            return false;
        if (i + 1 < last && (list[i + 1].kind != TW_TOKEN_COMMA || i + 2 == last))
            return false;
    }
    return true;
}

static const struct let *find(const struct tw_lets *lets, const struct tw_token *token) {
    for (int i = 0; i < lets->count; i++)
        if (strlen(lets->list[i].name) == token->length &&
            strncmp(lets->list[i].name, token->start, token->length) == 0)
            return &lets->list[i];
    return NULL;
}

static const char *argument(const struct frame *frame, const struct tw_token *token) {
    for (int i = 0; frame->let != NULL && i < frame->let->parameter_count; i++)
        if (strlen(frame->let->parameters[i]) == token->length &&
            strncmp(frame->let->parameters[i], token->start, token->length) == 0)
            return frame->arguments[i];
    return NULL;
}

struct tw_lets *tw_lets_read(const struct tw_json *json) {
    struct tw_lets *lets = calloc(1, sizeof *lets);
    if (lets == NULL) {
        tw_json_no_memory(json);
        return NULL;
    }
    tw_json_expect_object(json);
    for (int i = 0; i < tw_json_count(json); i++) {
        struct tw_json member = tw_json_at(json, i);
        if (lets->count == TW_MAX_RULES) {
            tw_json_fail(&member, "more than %d lets", TW_MAX_RULES);
            break;
        }
        struct let *let = &lets->list[lets->count];
        let->json = member;
        (void)tw_json_string(&member);
        if (!read_head(let, member.item->string))
            tw_json_fail(&member, "a let is NAME or NAME(A, B), with up to %d parameters",
                         MAX_LET_PARAMETERS);
        for (int j = 0; j < lets->count; j++)
            if (strcmp(lets->list[j].name, let->name) == 0)
                tw_json_fail(&member, "the name %s is taken", let->name);
        lets->count++;
    }
    if (json->context->status == TW_OK)
        return lets;
    tw_lets_free(lets);
    return NULL;
}

void tw_lets_free(struct tw_lets *lets) {
    free(lets);
}

const char *tw_lets_name(const struct tw_lets *lets, int index, struct tw_json *where) {
    if (index >= lets->count)
        return NULL;
    *where = lets->list[index].json;
    return lets->list[index].name;
}

static void put(const struct tw_lets *lets, const struct tw_json *json, const struct frame *frame,
                const char *text, struct tw_text *out);

/* In parentheses where the operators around would take it apart. */
static void add_tight(struct tw_text *out, const char *text, enum tw_level needed) {
    struct tw_tokens tokens;
    tw_tokens_read(&tokens, text);
    bool loose = tw_tokens_level(&tokens) < needed;
    tw_text_print(out, loose ? "(%s)" : "%s", text);
}

/* The arguments between the parentheses that begin at token `open`, with their own lets put in;
 * returns how many. */
static int read_arguments(const struct tw_lets *lets, const struct tw_json *json,
                          const struct frame *frame, const struct tw_tokens *tokens, int open,
                          int behind, char *arguments[MAX_LET_PARAMETERS]) {
    int count = 0, depth = 0, first = open + 1;
    for (int i = open; i < behind; i++) {
        enum tw_token_kind kind = tokens->list[i].kind;
        depth += (kind == TW_TOKEN_OPEN) - (kind == TW_TOKEN_CLOSE);
        bool ends = i + 1 == behind || (kind == TW_TOKEN_COMMA && depth == 1);
        if (!ends)
            continue;
        if (first == i || count == MAX_LET_PARAMETERS)
            return -1;
        const struct tw_token *from = &tokens->list[first], *to = &tokens->list[i - 1];
        struct tw_text text = {0};
        char *written = strndup(from->start, (size_t)(to->start + to->length - from->start));
        if (written != NULL)
            put(lets, json, frame, written, &text);
        if (written == NULL || text.failed)
            tw_json_no_memory(json);
        free(written);
        arguments[count++] = text.data;
        first = i + 1;
    }
    return count;
}

/* Puts in the let that token `at` names; returns the token behind it. */
static int put_let(const struct tw_lets *lets, const struct tw_json *json,
                   const struct frame *frame, const struct tw_tokens *tokens, int at,
                   const struct let *let, struct tw_text *out) {
    struct frame inner = {.outer = frame, .let = let};
    int behind = at + 1, given = 0;
    if (let->parameter_count > 0) {
        bool open = behind < tokens->count && tokens->list[behind].kind == TW_TOKEN_OPEN;
        behind = open ? tw_tokens_behind(tokens, behind) : -1;
        if (behind > 0)
            given = read_arguments(lets, json, frame, tokens, at + 1, behind, inner.arguments);
    }
    if (given != let->parameter_count)
        tw_json_fail(json, "%s takes %d arguments in parentheses", let->name, let->parameter_count);
    for (const struct frame *outer = frame; outer != NULL; outer = outer->outer)
        if (outer->let == let)
            tw_json_fail(&let->json, "uses itself");
    struct tw_text text = {0};
    if (json->context->status == TW_OK)
        put(lets, json, &inner, let->json.item->valuestring, &text);
    if (json->context->status == TW_OK && text.data != NULL)
        add_tight(out, text.data, tw_tokens_needed(tokens, at, behind - 1));
    out->failed |= text.failed;
    for (int i = 0; i < MAX_LET_PARAMETERS; i++)
        free(inner.arguments[i]);
    tw_text_free(&text);
    return behind;
}

static void put(const struct tw_lets *lets, const struct tw_json *json, const struct frame *frame,
                const char *text, struct tw_text *out) {
    struct tw_tokens *tokens = malloc(sizeof *tokens);
    if (tokens == NULL) {
        out->failed = true;
        return;
    }
    tw_tokens_read(tokens, text);
    const char *rest = text;
    int at = 0;
    while (at < tokens->count && json->context->status == TW_OK) {
        const struct tw_token *token = &tokens->list[at];
        const char *given = token->kind == TW_TOKEN_NAME ? argument(frame, token) : NULL;
        const struct let *let =
            token->kind == TW_TOKEN_NAME && given == NULL ? find(lets, token) : NULL;
        if (given == NULL && let == NULL) {
            at++;
            continue;
        }
        tw_text_add(out, rest, (size_t)(token->start - rest));
        if (given != NULL)
            add_tight(out, given, tw_tokens_needed(tokens, at, at));
        int behind = given != NULL ? at + 1 : put_let(lets, json, frame, tokens, at, let, out);
        if (behind > at)
            rest = tokens->list[behind - 1].start + tokens->list[behind - 1].length;
        at = behind > at ? behind : tokens->count;
        if (out->length > MAX_TEXT)
            tw_json_fail(json, "is too long with its lets put in");
    }
    if (tokens->too_many)
        tw_json_fail(json, "the expression is too long");
    tw_text_add(out, rest, strlen(rest));
    free(tokens);
}

void tw_lets_put_in(const struct tw_lets *lets, const struct tw_json *json, struct tw_text *out) {
    const struct frame frame = {0};
    put(lets, json, &frame, tw_json_string(json), out);
    if (out->failed)
        tw_json_no_memory(json);
}

static bool parses(const struct tw_lets *lets, const struct let *let, char *argument,
                   const struct tw_symbols *symbols, struct tw_error *error) {
    struct tw_json_context context = {.origin = "", .error = error};
    struct tw_json json = tw_json_root(&context, let->json.item);
    struct frame frame = {.let = let};
    struct tw_text text = {0};
    struct tw_expression *expression = NULL;
    for (int i = 0; i < let->parameter_count; i++)
        frame.arguments[i] = argument;
    put(lets, &json, &frame, let->json.item->valuestring, &text);
    bool right = context.status != TW_OK || text.data == NULL ||
                 tw_expression_parse(&expression, text.data, symbols, error) != TW_INVALID;
    tw_expression_free(expression);
    tw_text_free(&text);
    return right;
}

/* Whether the let is wrong whatever it is given, a number or a word. */
static bool is_wrong(const struct tw_lets *lets, const struct let *let,
                     const struct tw_symbols *symbols) {
    struct tw_error error, other;
    char number[] = "1", word[TW_NAME_SIZE + 2];
    snprintf(word, sizeof word, "'%s'", symbols->word_count > 0 ? symbols->words[0] : "");
    if (parses(lets, let, number, symbols, &error) ||
        (let->parameter_count > 0 && parses(lets, let, word, symbols, &other)))
        return false;
    tw_json_fail(&let->json, "%s", error.message);
    return true;
}

bool tw_lets_blame(const struct tw_lets *lets, const char *written,
                   const struct tw_symbols *symbols) {
    struct tw_tokens *tokens = malloc(sizeof *tokens);
    bool blamed = false;
    if (tokens != NULL)
        tw_tokens_read(tokens, written);
    for (int i = 0; tokens != NULL && i < tokens->count && !blamed; i++) {
        const struct let *let =
            tokens->list[i].kind == TW_TOKEN_NAME ? find(lets, &tokens->list[i]) : NULL;
        /* Those inside first: nothing else is wrong with a let that uses a wrong one. */
        if (let != NULL)
            blamed = tw_lets_blame(lets, let->json.item->valuestring, symbols) ||
                     is_wrong(lets, let, symbols);
    }
    free(tokens);
    return blamed;
}
