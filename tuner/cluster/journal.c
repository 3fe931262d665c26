#include "tuner/cluster/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"

struct journal {
    struct tw_text path;
    int file;
    int64_t began_at;
};

static tw_status cannot(const struct journal *journal, struct tw_error *error) {
    return tw_fail(error, TW_IO, "%s: %s", journal->path.data, strerror(errno));
}

static tw_status put(struct journal *journal, const char *line, struct tw_error *error) {
    size_t length = strlen(line);
    if (write(journal->file, line, length) != (ssize_t)length || fsync(journal->file) != 0)
        return cannot(journal, error);
    return TW_OK;
}

/* The first line is "tilewise-mpi 1 BEGAN COMMAND"; whether it is of the command. */
static bool read_head(char *line, const char *command, int64_t *began_at) {
    int at = 0;
    return line != NULL && sscanf(line, "tilewise-mpi 1 %" SCNd64 " %n", began_at, &at) == 1 &&
           at > 0 && strcmp(line + at, command) == 0;
}

/* The others are "done FINGERPRINT<tab>PROBLEM<tab>.": without its end a problem could be taken for
 * another. */
static void read_lines(char *rest,
                       void (*visit)(void *context, const char *fingerprint, const char *problem),
                       void *context) {
    char *line = rest;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        char *problem = strchr(line, '\t');
        char *stop = problem != NULL ? strchr(problem + 1, '\t') : NULL;
        if (strncmp(line, "done ", 5) != 0 || stop == NULL || strcmp(stop, "\t.") != 0)
            continue;
        *problem = *stop = '\0';
        visit(context, line + 5, problem + 1);
    }
}

static tw_status begin(struct journal *journal, const char *command, struct tw_error *error) {
    struct tw_text head = {0};
    journal->began_at = (int64_t)time(NULL);
    tw_text_print(&head, "tilewise-mpi 1 %" PRId64 " %s\n", journal->began_at, command);
    tw_status status = TW_OK;
    if (head.failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    else if (ftruncate(journal->file, 0) != 0)
        status = cannot(journal, error);
    else
        status = put(journal, head.data, error);
    tw_text_free(&head);
    return status;
}

/* What was cut short is ended, so that what follows is a line of its own. */
static tw_status go_on(struct journal *journal, const struct tw_text *text,
                       struct tw_error *error) {
    bool whole = text->length > 0 && text->data[text->length - 1] == '\n';
    return whole ? TW_OK : put(journal, "\n", error);
}

tw_status journal_open(struct journal **out, const char *results, const char *command, bool *other,
                       void (*visit)(void *context, const char *fingerprint, const char *problem),
                       void *context, struct tw_error *error) {
    struct tw_text text = {0};
    struct journal *journal = calloc(1, sizeof *journal);
    *out = NULL;
    *other = false;
    if (journal == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_text_print(&journal->path, "%s.mpi", results);
    tw_status status = TW_OK;
    if (journal->path.failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    journal->file = status == TW_OK
                        ? open(journal->path.data, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666)
                        : -1;
    if (status == TW_OK && journal->file < 0)
        status = cannot(journal, error);
    if (status == TW_OK)
        status = tw_file_read(&text, journal->path.data, error);
    if (status == TW_OK) {
        tw_status ended = go_on(journal, &text, error);
        char *rest = text.data, *head = text.length > 0 ? strsep(&rest, "\n") : NULL;
        if (read_head(head, command, &journal->began_at)) {
            status = ended;
            if (rest != NULL)
                read_lines(rest, visit, context);
        } else {
            *other = text.length > 0;
            status = begin(journal, command, error);
        }
    }
    tw_text_free(&text);
    if (status != TW_OK)
        journal_close(journal, false);
    else
        *out = journal;
    return status;
}

int64_t journal_began_at(const struct journal *journal) {
    return journal->began_at;
}

tw_status journal_add(struct journal *journal, const char *fingerprint, const char *problem,
                      struct tw_error *error) {
    struct tw_text line = {0};
    tw_text_print(&line, "done %s\t%s\t.\n", fingerprint, problem);
    tw_status status = line.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                   : put(journal, line.data, error);
    tw_text_free(&line);
    return status;
}

void journal_close(struct journal *journal, bool complete) {
    if (journal == NULL)
        return;
    if (complete)
        unlink(journal->path.data);
    if (journal->file >= 0)
        close(journal->file);
    tw_text_free(&journal->path);
    free(journal);
}
