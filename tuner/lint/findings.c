#include "tuner/lint/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lint_finding *find(const struct lint *lint, const char *where, const void *about) {
    for (size_t i = 0; i < lint->count; i++)
        if (lint->findings[i].about == about && strcmp(lint->findings[i].where, where) == 0)
            return &lint->findings[i];
    return NULL;
}

static void free_finding(struct lint_finding *finding) {
    free(finding->where);
    free(finding->message);
    free(finding->problem);
}

static bool fill(struct lint_finding *finding, const struct lint_run *run, const char *where,
                 const char *message) {
    char key[TW_PROBLEM_KEY_SIZE] = "";
    if (run->problem != NULL)
        tw_problem_text(run->problem, key);
    finding->on = run->device != NULL ? run->device->name : "";
    finding->where = strdup(where);
    finding->message = strdup(message);
    finding->problem = strdup(key);
    return finding->where != NULL && finding->message != NULL && finding->problem != NULL;
}

void lint_add(struct lint_run *run, enum lint_kind kind, const char *where, const void *about,
              const char *format, ...) {
    struct lint *lint = run->lint;
    struct lint_finding *known = find(lint, where, about);
    if (known != NULL) {
        known->times++;
        return;
    }
    char message[TW_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct lint_finding *grown =
        realloc(lint->findings, (lint->count + 1) * sizeof *lint->findings);
    if (grown == NULL) {
        run->no_memory = true;
        return;
    }
    lint->findings = grown;
    struct lint_finding *finding = &grown[lint->count];
    *finding = (struct lint_finding){.is_error = kind == LINT_ERROR, .times = 1, .about = about};
    if (!fill(finding, run, where, message)) {
        free_finding(finding);
        run->no_memory = true;
        return;
    }
    lint->count++;
    *(kind == LINT_ERROR ? &lint->errors : &lint->warnings) += 1;
}

void lint_sort(struct lint *lint) {
    for (size_t i = 1; i < lint->count; i++) {
        struct lint_finding finding = lint->findings[i];
        size_t at = i;
        for (; at > 0 && finding.is_error && !lint->findings[at - 1].is_error; at--)
            lint->findings[at] = lint->findings[at - 1];
        lint->findings[at] = finding;
    }
}

void lint_free(struct lint *lint) {
    for (size_t i = 0; i < lint->count; i++)
        free_finding(&lint->findings[i]);
    free(lint->findings);
    *lint = (struct lint){0};
}
