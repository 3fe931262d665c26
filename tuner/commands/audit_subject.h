/* What is wanted, of a log of shapes or of a list, as audit and --from-log take it. */
#ifndef TUNER_COMMANDS_AUDIT_SUBJECT_H
#define TUNER_COMMANDS_AUDIT_SUBJECT_H

#include "tuner/audit/demand.h"
#include "tuner/commands/arguments.h"

struct audit_subject {
    struct known_kernels kernels;
    struct tw_device_info device;
    struct tw_catalogue *catalogue; /* what an application has */
    struct demand demand;           /* with what is expected, in order of gain */
    bool counted;                   /* launches are from a log */
    int cut;                        /* lines of it that are cut short */
};

/* Reads a file: a log, or a list of shapes as --shapes has it if `lists` are allowed. Remarks about
 * what is passed over go to standard error unless quiet. Free with audit_subject_close in every
 * case. */
tw_status audit_subject_open(struct arguments *arguments, const char *file, bool lists,
                             struct audit_subject *subject, struct tw_error *error);
void audit_subject_close(struct audit_subject *subject);

#endif
