#include "tuner/commands/audit_subject.h"

#include <stdio.h>

#include "runtime/backend/devices.h"
#include "runtime/base/printable.h"
#include "tuner/commands/argument_values.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"

static tw_status add_log(const struct arguments *a, const char *file, struct audit_subject *subject,
                         struct tw_error *error) {
    struct asked_log log;
    char fingerprint[256];
    tw_device_fingerprint(&subject->device, fingerprint);
    tw_status status =
        command_names_file(asked_read(&log, file, fingerprint, a->cache, error), error);
    if (status == TW_OK && log.elsewhere && !a->quiet)
        tw_printable_line(stderr,
                          "tune: %s: nothing was asked for on %s with %s caches; taking what was "
                          "asked for elsewhere",
                          file, subject->device.name, a->cache);
    if (status == TW_OK && log.cut > 0 && !a->quiet)
        tw_printable_line(stderr, "tune: %s: %d line%s cut short, passed over", file, log.cut,
                          log.cut == 1 ? "" : "s");
    if (status == TW_OK)
        status = demand_add_log(&subject->demand, &log, file, a->kernel, &subject->kernels, error);
    subject->counted = true;
    subject->cut = log.cut;
    asked_free(&log);
    return status;
}

static tw_status add_list(struct arguments *a, const char *file, struct audit_subject *subject,
                          struct tw_error *error) {
    struct tw_description *description = NULL;
    tw_status status = add_shapes(&a->shapes, &a->shape_count, file, error);
    if (status == TW_OK)
        status = resolve_description(a, &description, error);
    for (int i = 0; i < a->shape_count && status == TW_OK; i++) {
        struct tw_problem problem;
        const struct known_kernel *kernel =
            known_kernels_find(&subject->kernels, description->kernel);
        status = resolve_problem(a, i, kernel->description, &problem, error);
        if (status == TW_OK)
            status = demand_add(&subject->demand, &problem, error);
    }
    tw_description_free(description);
    return status;
}

static void tell_unknown(const struct arguments *a, const struct audit_subject *subject) {
    const struct demand *demand = &subject->demand;
    if (demand->unknown > 0 && !a->quiet)
        tw_printable_line(stderr, "tune: %d problem%s passed over; the first: %s", demand->unknown,
                          demand->unknown == 1 ? "" : "s", demand->first_unknown);
}

tw_status audit_subject_open(struct arguments *a, const char *file, bool lists,
                             struct audit_subject *subject, struct tw_error *error) {
    bool is_log = false;
    *subject = (struct audit_subject){0};
    tw_status status = command_names_file(asked_is_log(file, &is_log, error), error);
    if (status == TW_OK && !is_log && !lists)
        status = tw_fail(error, TW_INVALID,
                         "%s is no log of shapes, as an application writes it with "
                         "TILEWISE_LOG_SHAPES; a list goes with --shapes",
                         file);
    if (status == TW_OK)
        status = command_names_file(
            known_kernels_open(&subject->kernels, a->configs.words, a->configs.count, error),
            error);
    if (status == TW_OK)
        status = resolve_device(a, &subject->device, error);
    if (status == TW_OK)
        status = is_log ? add_log(a, file, subject, error) : add_list(a, file, subject, error);
    if (status == TW_OK)
        status = database_catalogue(a, &subject->catalogue, error);
    if (status == TW_OK)
        status =
            demand_expect(&subject->demand, subject->catalogue, &subject->device, a->cache, error);
    if (status != TW_OK)
        return status;
    demand_sort(&subject->demand);
    if (subject->demand.count > 0) {
        tell_unknown(a, subject);
        return TW_OK;
    }
    return subject->demand.unknown > 0
               ? tw_fail(error, TW_INVALID, "%s", subject->demand.first_unknown)
               : tw_fail(error, TW_NOT_FOUND, "%s has no problem of the kernel %s", file,
                         a->kernel != NULL ? a->kernel : "that is meant");
}

void audit_subject_close(struct audit_subject *subject) {
    demand_free(&subject->demand);
    tw_catalogue_free(subject->catalogue);
    known_kernels_close(&subject->kernels);
}
