#include "runtime/predict/model_configurations.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"

/* Where the text is read, and where its strings go. */
struct written {
    const char *at, *end;
    char *to;
};

static bool take(struct written *written, const char *text) {
    const size_t length = strlen(text);
    if ((size_t)(written->end - written->at) < length || memcmp(written->at, text, length) != 0)
        return false;
    written->at += length;
    return true;
}

static void skip_blank(struct written *written) {
    if (written->at < written->end && *written->at == ' ')
        written->at++;
}

/* A name and its colon, behind what begins or goes on with a list: databases keep models without
 * the blanks that files have. */
static bool take_name(struct written *written, const char *before, const char *name) {
    if (!take(written, before))
        return false;
    skip_blank(written);
    if (!take(written, "\"") || !take(written, name) || !take(written, "\":"))
        return false;
    skip_blank(written);
    return true;
}

/* Up to its closing quote. Of escapes it has those that programs write in configurations. What may
 * not be printed is left to the tree of JSON's texts, where databases' checks look for it. */
static const char *take_string(struct written *written) {
    const char *string = written->to, *at = written->at;
    char *to = written->to;
    for (; at < written->end && *at != '"'; at++) {
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            return NULL;
        if (*at == '\\' && (++at == written->end || (*at != '"' && *at != '\\')))
            return NULL;
        *to++ = *at;
    }
    *to++ = '\0';
    written->at = at;
    written->to = to;
    return take(written, "\"") && tw_is_printable(string) ? string : NULL;
}

static bool take_digits(struct written *written, int64_t *number, int *count) {
    enum { MOST_DIGITS = 15 }; /* which a double holds */
    const char *from = written->at;
    while (written->at < written->end && *written->at >= '0' && *written->at <= '9' &&
           *count < MOST_DIGITS) {
        *number = 10 * *number + (*written->at++ - '0');
        ++*count;
    }
    return written->at > from;
}

/* One that 15 digits before and after a point say: quotients of what doubles hold are exact. */
static bool take_time(struct written *written, double *time_us) {
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    int64_t digits = 0;
    int count = 0, whole;
    if (!take_digits(written, &digits, &count))
        return false;
    whole = count;
    if (take(written, ".") && !take_digits(written, &digits, &count))
        return false;
    *time_us = (double)digits / powers[count - whole];
    return *time_us > 0;
}

static bool take_kinds(struct written *written, uint64_t *kinds, int *most_kind) {
    *kinds = 0;
    do {
        int64_t kind = 0;
        int count = 0;
        if (!take_digits(written, &kind, &count) || kind >= TW_MODEL_MAX_WORDS)
            return false;
        *kinds |= UINT64_C(1) << kind;
        if (kind > *most_kind)
            *most_kind = (int)kind;
    } while (take(written, ","));
    return take(written, "]");
}

/* Up to a list's bracket; nothing where there is no such list. */
static bool take_near(struct written *written, struct tw_model *model,
                      struct tw_model_configuration *c) {
    struct written ahead = *written;
    if (!take_name(&ahead, ",", "near") || !take(&ahead, "["))
        return true;
    *written = ahead;
    c->near_first = model->near_count;
    do {
        int64_t place = 0;
        int count = 0;
        if (!take_digits(written, &place, &count) || place > INT_MAX)
            return false;
        if ((model->near_count & (model->near_count - 1)) == 0) {
            /* Doubling, at every power of two. */
            const size_t room = model->near_count > 0 ? 2 * (size_t)model->near_count : 1;
            int *grown = realloc(model->near, room * sizeof *grown);
            if (grown == NULL)
                return false;
            model->near = grown;
        }
        model->near[model->near_count++] = (int)place;
    } while (take(written, ","));
    c->near_count = model->near_count - c->near_first;
    return take(written, "]");
}

static const char *take_text(struct written *written) {
    return take(written, "\"") ? take_string(written) : NULL;
}

static bool take_configuration(struct written *w, struct tw_model *model,
                               struct tw_model_configuration *c, int *most_kind) {
    return take_name(w, "{", "implementation") && (c->implementation = take_text(w)) != NULL &&
           take_name(w, ",", "configuration") && (c->configuration = take_text(w)) != NULL &&
           take_name(w, ",", "problem") && (c->problem = take_text(w)) != NULL &&
           take_name(w, ",", "kinds") && take(w, "[") && take_kinds(w, &c->kinds, most_kind) &&
           take_near(w, model, c) && take_name(w, ",", "time_us") && take_time(w, &c->time_us) &&
           take_name(w, ",", "code") && (c->template_hash = take_text(w)) != NULL &&
           take_name(w, ",", "source") && (c->source = take_text(w)) != NULL &&
           take_name(w, ",", "judge") && (c->judge = take_text(w)) != NULL && take(w, "}");
}

static void take_space(struct written *written) {
    while (written->at < written->end && (*written->at == ' ' || *written->at == '\n'))
        written->at++;
}

bool tw_model_read_written(struct tw_model *model, const char *begin, const char *end,
                           int *most_kind) {
    struct tw_model_configuration *all = calloc(TW_MODEL_MAX_CONFIGURATIONS, sizeof *all);
    char *texts = malloc((size_t)(end - begin) + 1);
    struct written written = {begin, end, texts};
    int count = 0;
    bool more = all != NULL && texts != NULL && take(&written, "[");
    bool is_read = false;
    *most_kind = -1;
    while (more && count < TW_MODEL_MAX_CONFIGURATIONS) {
        take_space(&written);
        if (!take_configuration(&written, model, &all[count], most_kind))
            break;
        count++;
        more = take(&written, ",");
        if (more)
            continue;
        take_space(&written);
        is_read = take(&written, "]") && written.at == end;
    }
    if (!is_read) {
        free(all);
        free(texts);
        return false;
    }
    model->configurations = all;
    model->configuration_count = count;
    model->texts = texts;
    return true;
}
