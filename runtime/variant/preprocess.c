#include "runtime/variant/preprocess.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/variant/macros.h"

enum { MOST_DEPTH = 64, MOST_PIECES = 4 };

/* How far a conditional has come. */
enum group {
    CHOSEN,  /* in the group that was chosen */
    SEEKING, /* none has been chosen yet */
    DONE,    /* behind the one that was, or within a group that is left out */
    OPEN     /* not known: all groups stay, and the directives with them */
};

struct line {
    const char *text;
    size_t length;
    const char *macro; /* the name that it defines, within text; NULL: none */
    size_t macro_length;
    bool kept;
};

struct preprocessor {
    const struct tw_words *words;
    struct tw_macros macros;
    size_t line_count, line_room;
    struct line *lines;
    int depth;
    enum group groups[MOST_DEPTH];
    bool pastes; /* names are put together */
    /* Of all that is mentioned, by its first character: a bit for each length, the last for all
     * that are longer. Most names that nothing mentions are told by these. */
    uint32_t lengths[256];
    bool no_memory, too_deep;
};

/* ---- Lines without comments ---- */

/* From star to star: with sanitizers strstr measures all that follows. */
const char *tw_comment_end(const char *at) {
    const char *star = at + 2;
    while ((star = strchr(star, '*')) != NULL && star[1] != '/')
        star++;
    return star != NULL ? star + 2 : at + strlen(at);
}

/* What a character is to `strip`, which is asked of all of every source. */
enum character { PLAIN, BLANK, NEWLINE, SLASH, BACKSLASH, QUOTE, END };

static const unsigned char characters[256] = {
    ['\0'] = END,       [' '] = BLANK,  ['\t'] = BLANK,   ['\v'] = BLANK,
    ['\f'] = BLANK,     ['\r'] = BLANK, ['\n'] = NEWLINE, ['/'] = SLASH,
    ['\\'] = BACKSLASH, ['"'] = QUOTE,  ['\''] = QUOTE,
};

static enum character kind_of(const char *at) {
    return (enum character)characters[(unsigned char)*at];
}

/* Behind what is no part of a line: a comment, or a line's end that is none; NULL where `at` is
 * something else. */
static const char *behind_nothing(const char *at) {
    const char *end = NULL;
    if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n')))
        return at + (at[1] == '\n' ? 2 : 3);
    if (at[0] == '/' && at[1] == '*')
        end = tw_comment_end(at);
    else if (at[0] == '/' && at[1] == '/')
        end = at + strcspn(at, "\n");
    return end;
}

/* Copies what is between quotes, with them, or up to the end of the line. */
static const char *copy_quoted(const char *at, char **to) {
    const char quote = *at;
    *(*to)++ = *at++;
    while (*at != '\0' && *at != '\n' && *at != quote) {
        if (at[0] == '\\' && at[1] != '\0' && at[1] != '\n')
            *(*to)++ = *at++;
        *(*to)++ = *at++;
    }
    if (*at == quote)
        *(*to)++ = *at++;
    return at;
}

/* Writes logical lines with single blanks between tokens and without comments; `out` has room for
 * all of `source`. */
static size_t strip(const char *source, char *out) {
    char *to = out, *line = out;
    bool blank = false;
    for (const char *at = source;;) {
        const enum character kind = kind_of(at);
        const char *behind = kind == SLASH || kind == BACKSLASH ? behind_nothing(at) : NULL;
        if (behind != NULL) {
            blank = blank || (at[0] == '/' && at[1] == '*');
            at = behind;
        } else if (kind == NEWLINE || kind == END) {
            if (to > line)
                *to++ = '\n';
            if (kind == END)
                return (size_t)(to - out);
            line = to;
            blank = false;
            at++;
        } else if (kind == BLANK) {
            blank = true;
            do
                at++;
            while (kind_of(at) == BLANK);
        } else {
            if (blank && to > line)
                *to++ = ' ';
            blank = false;
            if (kind == QUOTE) {
                at = copy_quoted(at, &to);
                continue;
            }
            do
                *to++ = *at++;
            while (kind_of(at) == PLAIN);
        }
    }
}

/* Lines that end with `limit`; NULL when out of memory. */
static char *strip_comments(const char *source, const char **limit) {
    /* One more for a line that does not end. */
    char *text = malloc(strlen(source) + 2);
    if (text != NULL)
        *limit = text + strip(source, text);
    return text;
}

tw_status tw_strip_comments(const char *source, struct tw_text *out, struct tw_error *error) {
    const char *limit;
    char *text = strip_comments(source, &limit);
    if (text != NULL)
        tw_text_add(out, text, (size_t)(limit - text));
    bool failed = text == NULL || out->failed;
    free(text);
    return failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

/* ---- Directives ---- */

static bool emitting(const struct preprocessor *p) {
    return p->depth == 0 || p->groups[p->depth - 1] == CHOSEN || p->groups[p->depth - 1] == OPEN;
}

static bool in_doubt(const struct preprocessor *p) {
    for (int i = 0; i < p->depth; i++)
        if (p->groups[i] == OPEN)
            return true;
    return false;
}

static struct line *keep(struct preprocessor *p, const char *text, size_t length) {
    if (p->line_count == p->line_room) {
        size_t room = p->line_room == 0 ? 512 : 2 * p->line_room;
        struct line *lines = realloc(p->lines, room * sizeof *lines);
        if (lines == NULL) {
            p->no_memory = true;
            return NULL;
        }
        p->lines = lines;
        p->line_room = room;
    }
    p->lines[p->line_count] = (struct line){.text = text, .length = length, .kept = true};
    return &p->lines[p->line_count++];
}

static void push(struct preprocessor *p, enum group group) {
    if (p->depth == MOST_DEPTH)
        p->too_deep = true;
    else
        p->groups[p->depth++] = group;
}

static enum group group_of(enum tw_condition condition) {
    return condition == TW_CONDITION_TRUE    ? CHOSEN
           : condition == TW_CONDITION_FALSE ? SEEKING
                                             : OPEN;
}

/* The rest of a directive: behind its word. */
struct directive {
    const char *line;
    size_t line_length;
    const char *word, *rest;
    size_t word_length, rest_length;
};

static bool is(const struct directive *d, const char *word) {
    return d->word_length == strlen(word) && memcmp(d->word, word, d->word_length) == 0;
}

static enum tw_condition ask(struct preprocessor *p, const struct directive *d) {
    char text[256] = "defined ";
    if (is(d, "if") || is(d, "elif"))
        return tw_macros_condition(&p->macros, d->rest, d->rest_length, &p->no_memory);
    if (d->rest_length >= sizeof text - 8)
        return TW_CONDITION_UNKNOWN;
    memcpy(text + 8, d->rest, d->rest_length);
    enum tw_condition condition =
        tw_macros_condition(&p->macros, text, 8 + d->rest_length, &p->no_memory);
    if (condition == TW_CONDITION_UNKNOWN || is(d, "ifdef"))
        return condition;
    return condition == TW_CONDITION_TRUE ? TW_CONDITION_FALSE : TW_CONDITION_TRUE;
}

static void begin(struct preprocessor *p, const struct directive *d) {
    if (!emitting(p)) {
        push(p, DONE);
        return;
    }
    enum group group = group_of(ask(p, d));
    push(p, group);
    if (group == OPEN)
        keep(p, d->line, d->line_length);
}

static void go_on(struct preprocessor *p, const struct directive *d) {
    if (p->depth == 0)
        return; /* the compiler complains */
    enum group *group = &p->groups[p->depth - 1];
    if (*group == CHOSEN)
        *group = DONE;
    else if (*group == OPEN)
        keep(p, d->line, d->line_length);
    else if (*group == SEEKING && is(d, "else"))
        *group = CHOSEN;
    else if (*group == SEEKING && (*group = group_of(ask(p, d))) == OPEN)
        /* Those before it are out, so that it begins with this one. */
        keep(p, d->line, d->line_length);
}

static void end(struct preprocessor *p, const struct directive *d) {
    if (p->depth > 0 && p->groups[--p->depth] == OPEN)
        keep(p, d->line, d->line_length);
}

static void define(struct preprocessor *p, const struct directive *d) {
    size_t length = 0;
    const char *limit = d->rest + d->rest_length;
    const char *name = tw_identifier(d->rest, limit, &length);
    struct line *line = keep(p, d->line, d->line_length);
    struct tw_macro *macro = name != NULL ? tw_macros_get(&p->macros, name, length) : NULL;
    p->no_memory = p->no_memory || (name != NULL && macro == NULL);
    if (line == NULL || macro == NULL)
        return;
    line->macro = name;
    line->macro_length = length;
    const char *body = name + length;
    bool function = body < limit && *body == '(';
    while (body < limit && *body == ' ')
        body++;
    macro->kind = in_doubt(p)      ? TW_MACRO_UNKNOWN
                  : is(d, "undef") ? TW_MACRO_UNDEFINED
                  : function       ? TW_MACRO_FUNCTION
                                   : TW_MACRO_OBJECT;
    macro->body = body;
    macro->body_length = (size_t)(limit - body);
}

static void take_directive(struct preprocessor *p, const char *text, size_t length) {
    struct directive d = {.line = text, .line_length = length};
    const char *limit = text + length;
    const char *word = tw_identifier(text + 1, limit, &d.word_length);
    d.word = word != NULL ? word : limit;
    d.rest = d.word + d.word_length;
    while (d.rest < limit && *d.rest == ' ')
        d.rest++;
    d.rest_length = (size_t)(limit - d.rest);
    if (is(&d, "if") || is(&d, "ifdef") || is(&d, "ifndef"))
        begin(p, &d);
    else if (is(&d, "elif") || is(&d, "else"))
        go_on(p, &d);
    else if (is(&d, "endif"))
        end(p, &d);
    else if (!emitting(p) || is(&d, "line"))
        return;
    else if (is(&d, "define") || is(&d, "undef"))
        define(p, &d);
    else
        keep(p, text, length);
}

/* ---- Macros that are left ---- */

static uint32_t length_bit(size_t length) {
    return UINT32_C(1) << (length < 31 ? length : 31);
}

/* Notes the names and numbers of a text, macros or not: ## makes names of them, one behind the
 * other. */
static void mention(struct preprocessor *p, const char *text, size_t length) {
    const char *at = text, *limit = text + length, *name;
    size_t size;
    while ((name = tw_identifier_or_number(at, limit, &size)) != NULL) {
        struct tw_macro *macro = tw_macros_get(&p->macros, name, size);
        if (macro != NULL)
            macro->used = true;
        p->lengths[(unsigned char)*name] |= length_bit(size);
        p->no_memory = p->no_memory || macro == NULL;
        at = name + size;
    }
    p->pastes = p->pastes || memmem(text, length, "##", 2) != NULL;
}

static bool is_mentioned(const struct preprocessor *p, const char *name, size_t length) {
    if ((p->lengths[(unsigned char)*name] & length_bit(length)) == 0)
        return false;
    const struct tw_macro *macro = tw_macros_find(&p->macros, name, length);
    return macro != NULL && macro->used;
}

static bool is_made_of_pieces(const struct preprocessor *p, const char *name, size_t length,
                              int pieces) {
    for (size_t first = 1; first < length; first++)
        if (is_mentioned(p, name, first) &&
            (is_mentioned(p, name + first, length - first) ||
             (pieces > 2 && is_made_of_pieces(p, name + first, length - first, pieces - 1))))
            return true;
    return false;
}

static bool is_used(const struct preprocessor *p, const struct line *line) {
    return is_mentioned(p, line->macro, line->macro_length) ||
           (p->pastes && is_made_of_pieces(p, line->macro, line->macro_length, MOST_PIECES));
}

static void use(struct preprocessor *p, struct line *line, const char *text) {
    line->kept = true;
    mention(p, text, (size_t)(line->text + line->length - text));
}

static void drop_unused(struct preprocessor *p) {
    bool more = true;
    for (size_t i = 0; i < p->line_count; i++) {
        p->lines[i].kept = false;
        if (p->lines[i].macro == NULL)
            use(p, &p->lines[i], p->lines[i].text);
    }
    while (more) {
        more = false;
        for (size_t i = 0; i < p->line_count; i++) {
            struct line *line = &p->lines[i];
            if (line->kept || !is_used(p, line))
                continue;
            use(p, line, line->macro + line->macro_length);
            more = true;
        }
    }
}

/* ---- What is left ---- */

static bool is_word(const struct preprocessor *p, const struct line *line) {
    char name[128];
    if (p->words == NULL || line->macro == NULL || line->macro_length >= sizeof name)
        return false;
    memcpy(name, line->macro, line->macro_length);
    name[line->macro_length] = '\0';
    return tw_words_find(p->words, name) != NULL;
}

static void print(const struct preprocessor *p, struct tw_text *out) {
    for (size_t i = 0; i < p->line_count; i++) {
        const struct line *line = &p->lines[i];
        size_t length = line->length;
        if (!line->kept)
            continue;
        if (is_word(p, line))
            length = (size_t)(line->macro + line->macro_length - line->text);
        tw_text_add(out, line->text, length);
        tw_text_add(out, "\n", 1);
    }
}

tw_status tw_preprocess(const char *source, const struct tw_words *words, struct tw_text *out,
                        struct tw_error *error) {
    struct preprocessor p = {.words = words};
    const char *limit;
    char *text = strip_comments(source, &limit);
    if (text == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (const char *line = text; line < limit;) {
        size_t length = (size_t)((const char *)memchr(line, '\n', (size_t)(limit - line)) - line);
        if (*line == '#')
            take_directive(&p, line, length);
        else if (emitting(&p))
            keep(&p, line, length);
        line += length + 1;
    }
    drop_unused(&p);
    print(&p, out);
    free(text);
    free(p.lines);
    tw_macros_free(&p.macros);
    if (p.no_memory || out->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (p.too_deep)
        return tw_fail(error, TW_INVALID, "a source's conditionals nest more than %d deep",
                       MOST_DEPTH);
    return TW_OK;
}
