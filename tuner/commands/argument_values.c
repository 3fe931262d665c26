#include "tuner/commands/argument_values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/description/folder.h"
#include "tuner/commands/command.h"

tw_status add_shape(struct shape_argument **shapes, int *count, const char *shape,
                    struct tw_error *error) {
    if (*count == ARGUMENTS_MAX_SHAPES)
        return tw_fail(error, TW_INVALID, "more than %d shapes", ARGUMENTS_MAX_SHAPES);
    struct shape_argument *grown = realloc(*shapes, (size_t)(*count + 1) * sizeof *grown);
    if (grown == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    *shapes = grown;
    grown[*count] = (struct shape_argument){.shape = strdup(shape)};
    if (grown[*count].shape == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    ++*count;
    return TW_OK;
}

/* The last of two words would be as good a guess as the first. */
static tw_status refuse_second(char *const *attributes, int count, const char *text,
                               struct tw_error *error) {
    const size_t name = strcspn(text, "=") + 1;
    for (int i = 0; i < count; i++)
        if (strncmp(attributes[i], text, name) == 0 && strcmp(attributes[i], text) != 0)
            return tw_fail(error, TW_INVALID, "%s and %s: an attribute has one word", attributes[i],
                           text);
    return TW_OK;
}

tw_status add_attribute(char **attributes, int *count, const char *name, const char *word,
                        struct tw_error *error) {
    struct tw_text text = {0};
    if (*count == ARGUMENTS_MAX_ATTRIBUTES)
        return tw_fail(error, TW_INVALID, "more than %d attributes", ARGUMENTS_MAX_ATTRIBUTES);
    if (name != NULL)
        tw_text_print(&text, "%s=%s", name, word);
    else
        tw_text_print(&text, "%s", word);
    if (text.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    const char *equals = strchr(text.data, '=');
    if (equals == NULL || equals == text.data || equals[1] == '\0') {
        tw_fail(error, TW_INVALID, "\"%s\": an attribute is written NAME=WORD, as in dtype=f64",
                text.data);
        tw_text_free(&text);
        return TW_INVALID;
    }
    tw_status status = refuse_second(attributes, *count, text.data, error);
    if (status != TW_OK) {
        tw_text_free(&text);
        return status;
    }
    attributes[(*count)++] = text.data;
    return TW_OK;
}

static tw_status read_shapes_line(struct shape_argument **shapes, int *count, const char *path,
                                  int number, char *line, struct tw_error *error) {
    line[strcspn(line, "#")] = '\0';
    struct shape_argument *shape = NULL;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r", &rest)) {
        tw_status status = shape == NULL ? add_shape(shapes, count, word, error)
                                         : add_attribute(shape->attributes, &shape->attribute_count,
                                                         NULL, word, error);
        if (status != TW_OK)
            return tw_fail_within(error, status, "%s:%d", path, number);
        shape = &(*shapes)[*count - 1];
    }
    struct tw_text origin = {0};
    if (shape != NULL)
        tw_text_print(&origin, "%s:%d", path, number);
    if (origin.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (shape != NULL)
        shape->origin = origin.data;
    return TW_OK;
}

tw_status add_shapes(struct shape_argument **shapes, int *count, const char *path,
                     struct tw_error *error) {
    struct tw_text text = {0};
    tw_status status = command_names_file(tw_file_read(&text, path, error), error);
    int before = *count, number = 1;
    if (status == TW_OK && text.length > 0 && strlen(text.data) != text.length) {
        for (const char *at = text.data; *at != '\0'; at++)
            number += *at == '\n';
        status = tw_fail(error, TW_INVALID, "%s:%d: a NUL byte; this is no text", path, number);
    }
    char *rest = text.data;
    for (char *line; status == TW_OK && (line = strsep(&rest, "\n")) != NULL; number++)
        status = read_shapes_line(shapes, count, path, number, line, error);
    tw_text_free(&text);
    if (status == TW_OK && *count == before)
        return tw_fail(error, TW_INVALID, "%s: has no shapes; write one a line, as in 64x32x16",
                       path);
    return status;
}

tw_status parse_integer(const char *option, const char *word, int64_t least, int64_t most,
                        int64_t *number, struct tw_error *error) {
    char *end;
    errno = 0;
    *number = strtoll(word, &end, 10);
    if (!isdigit((unsigned char)word[0]) || *end != '\0' || errno != 0 || *number < least ||
        *number > most)
        return tw_fail(error, TW_INVALID,
                       "--%s %s: expected a whole number from %" PRId64 " to %" PRId64, option,
                       word, least, most);
    return TW_OK;
}

tw_status parse_seconds(const char *option, const char *word, double *seconds,
                        struct tw_error *error) {
    char *end;
    double number = strtod(word, &end);
    double unit = strcmp(end, "s") == 0 || *end == '\0' ? 1
                  : strcmp(end, "m") == 0               ? 60
                  : strcmp(end, "h") == 0               ? 3600
                                                        : 0;
    if (end == word || unit == 0 || !isfinite(number) || !(number > 0) || number > 1e7)
        return tw_fail(error, TW_INVALID, "--%s %s: expected a time, as in 90s, 5m or 1h", option,
                       word);
    *seconds = number * unit;
    return TW_OK;
}

static tw_status add_copy(void *list, const char *word, struct tw_error *error) {
    char *copy = strdup(word);
    tw_status status =
        copy != NULL ? add_word(list, copy, error) : tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status != TW_OK)
        free(copy);
    return status;
}

tw_status add_descriptions(struct word_list *list, const char *path, struct tw_error *error) {
    return tw_folder_each(path, add_copy, list, error);
}

tw_status add_word(struct word_list *list, const char *word, struct tw_error *error) {
    const char **words = realloc(list->words, (size_t)(list->count + 1) * sizeof *words);
    if (words == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    list->words = words;
    words[list->count++] = word;
    return TW_OK;
}
