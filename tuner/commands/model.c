/* tune model fit|check: what chooses for shapes that were never tuned, and what it is worth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/model_stored.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/recorded_device.h"
#include "tuner/commands/resolve.h"
#include "tuner/exchange/output.h"
#include "tuner/exchange/sound_model.h"
#include "tuner/json/json.h"
#include "tuner/model/check.h"
#include "tuner/model/fit.h"

static const char help[] =
    "tune model fit [KERNEL] [OPTIONS]     fit a model to the trials on record, and store it\n"
    "tune model show [OPTIONS]             list the models of the database\n"
    "tune model check [KERNEL] [OPTIONS]   compare the stored model with the trials on record\n"
    "tune model import FILE... [OPTIONS]   store models from files, all or none\n"
    "tune model forget KERNEL [OPTIONS]    remove stored models of a kernel\n"
    "\n"
    "A model predicts how long a configuration takes on a problem, and so chooses for shapes that\n"
    "were never tuned. It is fitted to the trials of a device; tune record measures what it "
    "needs.\n"
    "fit prints what choosing by it costs on problems that it has not seen: the time of what is\n"
    "chosen over the best that was measured there, in all and for each kind of problem.\n"
    "\n"
    "  --from FILE          of fit: a model to go on from, as --output wrote it: trees are added "
    "for\n"
    "                       what it leaves of the trials on record, which should be of problems\n"
    "                       that it was not fitted to, and what is best there joins what it "
    "chooses\n"
    "                       from; then fit prints what choosing by that model's trees alone "
    "costs,\n"
    "                       in place of choosing by the estimate, and what it all gains over that\n"
    "                       model, with what it chose from. No trees are added where 20 such\n"
    "                       problems or more show that they choose no better, and of problems far\n"
    "                       from all of these they are held to what it says\n"
    "  --anew               with --from: no trees are added; kinds of problems that have trials "
    "on\n"
    "                       record are fitted from these alone, and the model of FILE goes on to\n"
    "                       say of the others what it says\n"
    "  --leave KIND         with --anew: trees learn of this kind's trials too, but it is the\n"
    "                       model of FILE that goes on to speak of it. As fit prints the kind,\n"
    "                       dtype=bf16,trans=nt, or defaults; may be repeated\n"
    "  --output FILE, -o    of fit: write the model to a file too, as import reads it\n"
    "  --device NAME        of fit, check and forget: also one that is not here, by the name or "
    "the\n"
    "                       fingerprint that it has in the database; forget takes all without\n"
    "  --cache              of fit and check as for tune; forget takes both without\n"
    "  --db, --config       as for tune; import wants --config of a kernel of one's own\n"
    "  --json               of fit and check: print one JSON object\n"
    "  --quiet              of fit and check: nothing of backends that are not here\n";

/* ---- fit and check ---- */

struct subject {
    struct tw_description *description;
    struct tw_device_info device;
    struct tw_model *onto; /* NULL: none */
    struct model_samples samples;
    char *path;
    tw_db *db;
};

/* A kind's attributes as they end a key, in a word. */
static const char *kind_name(const char *attributes) {
    return attributes[0] != '\0' ? attributes + 1 : "defaults";
}

/* The model that trees are to be added to. */
static tw_status read_onto(const struct arguments *a, struct subject *s, struct tw_error *error) {
    struct tw_text text = {0};
    char fingerprint[256];
    tw_device_fingerprint(&s->device, fingerprint);
    tw_status status = model_stored_read(&s->onto, &text, a->from, error);
    if (status == TW_OK)
        status = sound_model_words(s->onto, error);
    if (status == TW_OK &&
        (strcmp(s->onto->kernel, s->description->kernel) != 0 ||
         strcmp(s->onto->device, fingerprint) != 0 || strcmp(s->onto->cache, a->cache) != 0))
        status = tw_fail(error, TW_INVALID, "%s: is a model of %s on %s, %s", a->from,
                         s->onto->kernel, s->onto->device_name, s->onto->cache);
    tw_text_free(&text);
    return command_names_file(status, error);
}

/* The kinds that are left to the earlier model, a bit each. */
static tw_status find_left(const struct arguments *a, const struct tw_model *onto, uint64_t *left,
                           struct tw_error *error) {
    *left = 0;
    for (int i = 0; i < a->leave.count; i++) {
        const char *word = a->leave.words[i];
        int kind = 0;
        while (kind < onto->kind_count &&
               strcmp(kind_name(onto->kinds[kind].attributes), word) != 0)
            kind++;
        if (kind == onto->kind_count)
            return tw_fail(error, TW_INVALID,
                           "--leave %.60s: is no kind of problems that %s has; tune model fit "
                           "prints them, as %s",
                           word, a->from, kind_name(onto->kinds[0].attributes));
        *left |= UINT64_C(1) << kind;
    }
    return TW_OK;
}

/* One of this machine, or one that was recorded elsewhere. */
static tw_status find_device(const struct arguments *a, struct subject *s, struct tw_error *error) {
    bool found = false;
    tw_status status =
        a->device != NULL ? recorded_device(s->db, a->device, &s->device, &found, error) : TW_OK;
    if (status != TW_OK || found)
        return status;
    status = resolve_device(a, &s->device, error);
    if (status == TW_OK || a->device == NULL)
        return status;
    struct tw_error here = *error;
    return tw_fail(error, status, "%s; %s has no trials of one of that name either", here.message,
                   s->path);
}

static tw_status open_subject(const struct arguments *a, enum tw_db_mode mode, struct subject *s,
                              struct tw_error *error) {
    if (a->kernel == NULL && a->configs.count == 0)
        return tw_fail(error, TW_INVALID, "of which kernel? as in tune model fit gemm");
    if (a->anew && a->from == NULL)
        return tw_fail(error, TW_INVALID,
                       "--anew is beside what an earlier model says: name it with --from FILE");
    if (a->leave.count > 0 && !a->anew)
        return tw_fail(
            error, TW_INVALID,
            "--leave is of kinds that would be fitted anew: give --from FILE and --anew");
    struct earlier_model earlier = {.anew = a->anew};
    tw_status status = resolve_description(a, &s->description, error);
    if (status == TW_OK) {
        s->path = database_path(a, error);
        status = s->path == NULL ? error->status : TW_OK;
    }
    if (status == TW_OK)
        status = mode == TW_DB_WRITE ? database_open_existing(s->path, &s->db, error)
                                     : database_open(s->path, mode, &s->db, error);
    if (status == TW_OK)
        status = find_device(a, s, error);
    if (status == TW_OK && a->from != NULL)
        status = read_onto(a, s, error);
    if (status == TW_OK && a->from != NULL)
        status = find_left(a, s->onto, &earlier.left, error);
    earlier.model = s->onto;
    if (status == TW_OK)
        status = model_samples_read(&s->samples, s->db, s->description, &s->device, a->cache,
                                    &earlier, error);
    return status;
}

static void close_subject(struct subject *s) {
    model_samples_free(&s->samples);
    tw_model_free(s->onto);
    tw_db_close(s->db);
    free(s->path);
    tw_description_free(s->description);
}

/* One that was recorded elsewhere has no number here. */
static void print_subject(const struct subject *s) {
    printf("%s on %s", s->description->kernel, s->device.name);
    if (s->device.id[0] != '\0')
        printf(" (%s)", s->device.id);
    putchar('\n');
}

static void print_regret(const char *name, const struct regret *r) {
    printf("  %-15s %.3f of the best in the mean, %.3f at the 95th percentile, %.3f at the worst "
           "(%s)\n",
           name, r->mean, r->p95, r->worst, r->worst_problem);
}

static void add_regret(cJSON *json, const char *name, const struct regret *r) {
    cJSON *one = cJSON_AddObjectToObject(json, name);
    cJSON_AddNumberToObject(one, "problems", r->problems);
    cJSON_AddNumberToObject(one, "mean", r->mean);
    cJSON_AddNumberToObject(one, "p95", r->p95);
    cJSON_AddNumberToObject(one, "worst", r->worst);
    cJSON_AddStringToObject(one, "worst_problem", r->worst_problem);
}

/* Where a model is about more than one kind of problem. */
static void print_kinds(const struct fit_report *r, const char *other) {
    for (int i = 0; i < r->kind_count && r->kind_count > 1; i++) {
        const struct fit_kind *kind = &r->kinds[i];
        if (kind->model.problems == 0)
            continue; /* of an earlier model, without trials */
        printf("  %-15s %.3f in the mean, %.3f at the 95th percentile, %.3f at the worst of %d; "
               "%s %.3f, %.3f, %.3f\n",
               kind_name(kind->attributes), kind->model.mean, kind->model.p95, kind->model.worst,
               kind->model.problems, other, kind->estimate.mean, kind->estimate.p95,
               kind->estimate.worst);
    }
}

static void add_kinds(cJSON *json, const struct fit_report *r, const char *other) {
    cJSON *list = cJSON_AddArrayToObject(json, "kinds");
    for (int i = 0; i < r->kind_count; i++) {
        const struct fit_kind *kind = &r->kinds[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "attributes",
                                kind->attributes + (kind->attributes[0] != '\0'));
        add_regret(row, "model", &kind->model);
        add_regret(row, other, &kind->estimate);
        json_append(list, row);
    }
}

/* As a part of the time, and by how much that may be more or less: a standard error. */
static void print_gain(const struct paired_gain *gain) {
    const double part = exp(-gain->mean);
    printf(
        "  in all          %.3f of the time of what the model before chooses, from what it knew, "
        "on %d %s",
        part, gain->problems, gain->problems == 1 ? "problem" : "problems");
    if (isfinite(gain->error))
        printf("; a standard error is %.3f", part * gain->error);
    putchar('\n');
}

static void add_gain(cJSON *json, const struct paired_gain *gain) {
    cJSON *object = cJSON_AddObjectToObject(json, "over_before");
    cJSON_AddNumberToObject(object, "problems", gain->problems);
    cJSON_AddNumberToObject(object, "time", exp(-gain->mean));
    if (isfinite(gain->error))
        cJSON_AddNumberToObject(object, "error", exp(-gain->mean) * gain->error);
}

static tw_status print_fit(const struct arguments *a, const struct subject *s,
                           const struct fit_report *r, struct tw_error *error) {
    const bool grew = s->onto != NULL && !a->anew;
    if (a->json) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kernel", s->description->kernel);
        cJSON_AddStringToObject(json, "device", s->device.id);
        cJSON_AddNumberToObject(json, "trials", r->trials);
        cJSON_AddNumberToObject(json, "problems", r->problems);
        cJSON_AddNumberToObject(json, "configurations", r->configurations);
        cJSON_AddNumberToObject(json, "mispredicted", r->mispredicted);
        cJSON_AddNumberToObject(json, "stale", s->samples.stale);
        cJSON_AddNumberToObject(json, "uncertainty", r->uncertainty);
        cJSON_AddNumberToObject(json, "doubling", r->doubling);
        add_regret(json, "model", &r->model);
        const char *other = grew ? "before" : "estimate";
        add_regret(json, other, &r->estimate);
        if (grew)
            cJSON_AddBoolToObject(json, "trees_added", !r->without_trees);
        if (r->without_trees)
            add_regret(json, "with_trees", &r->with_trees);
        if (r->gain.problems > 0)
            add_gain(json, &r->gain);
        add_kinds(json, r, other);
        return json_print(json, error);
    }
    print_subject(s);
    printf("  fitted to       %d trials of %d problems\n", r->trials, r->problems);
    printf("  chooses from    %d configurations\n", r->configurations);
    if (r->mispredicted > 0)
        printf("  left out        %d that folds show to be chosen wrongly\n", r->mispredicted);
    if (s->samples.stale > 0)
        printf("  left out        %d configurations whose code has changed since\n",
               s->samples.stale);
    printf("  of %d %s that it has not seen%s\n", r->model.problems,
           r->model.problems == 1 ? "problem" : "problems",
           r->model.problems < FIT_FEW_PROBLEMS ? ", which are few: this says little" : "");
    print_regret("model", &r->model);
    print_regret(grew ? "model before" : "estimate alone", &r->estimate);
    if (r->without_trees)
        print_regret("with more trees", &r->with_trees);
    if (r->gain.problems > 0)
        print_gain(&r->gain);
    print_kinds(r, grew ? "before" : "estimate alone");
    printf("  uncertainty     a factor of %.2f either way", exp(r->uncertainty));
    if (r->doubling > 0)
        printf(", and %.2f for each doubling of a configuration's time", exp(r->doubling));
    putchar('\n');
    return TW_OK;
}

static tw_status fit(const struct arguments *a, struct tw_error *error) {
    struct subject s = {0};
    struct fit_report report;
    struct tw_text text = {0};
    char fingerprint[256];
    tw_status status = open_subject(a, TW_DB_WRITE, &s, error);
    if (status == TW_OK)
        status = fit_model(&s.samples, &report, &text, error);
    /* An earlier model's trees and these may together be more than a reader takes. */
    struct tw_model *readable = NULL;
    if (status == TW_OK)
        status = tw_model_read(&readable, text.data, "the model", error);
    tw_model_free(readable);
    if (status == TW_OK) {
        tw_device_fingerprint(&s.device, fingerprint);
        const struct tw_db_model model = {.kernel = s.description->kernel,
                                          .device = fingerprint,
                                          .cache_policy = a->cache,
                                          .text = text.data};
        if (tw_db_model_put(s.db, &model) != TW_DB_OK)
            status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(s.db));
    }
    if (status == TW_OK && a->output != NULL)
        status = output_write(&text, a->output, error);
    if (status == TW_OK)
        status = print_fit(a, &s, &report, error);
    tw_text_free(&text);
    close_subject(&s);
    return status;
}

struct wanted {
    const char *device, *cache;
    struct tw_model *model;
    tw_status status;
    struct tw_error *error;
};

static bool take_wanted(void *context, const struct tw_db_model *stored) {
    struct wanted *w = context;
    if (strcmp(stored->device, w->device) != 0 || strcmp(stored->cache_policy, w->cache) != 0)
        return true;
    w->status = tw_model_read(&w->model, stored->text, "the stored model", w->error);
    return false;
}

/* Of each problem: whether predictions have trials in the order that was measured. */
static void add_agreements(cJSON *json, const struct model_samples *samples,
                           const struct check_report *r) {
    cJSON *object = cJSON_AddObjectToObject(json, "rank_correlation");
    cJSON_AddNumberToObject(object, "model", r->model);
    cJSON_AddNumberToObject(object, "estimate", r->estimate);
    cJSON *list = cJSON_AddArrayToObject(object, "problems");
    for (int i = 0; i < r->count; i++) {
        const struct agreement *agreement = &r->agreements[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "problem", samples->problems[agreement->problem].key);
        cJSON_AddNumberToObject(row, "trials", agreement->trials);
        cJSON_AddNumberToObject(row, "model", agreement->model);
        cJSON_AddNumberToObject(row, "estimate", agreement->estimate);
        json_append(list, row);
    }
}

static void print_agreements(const struct model_samples *samples, const struct check_report *r) {
    enum { FEW = 24 };
    printf("  rank correlation with what was measured, of problems with %d trials or more\n",
           CHECK_LEAST_TRIALS);
    for (int i = 0; i < r->count && r->count <= FEW; i++)
        printf("  %-30s model %5.2f, estimate %5.2f, %d trials\n",
               samples->problems[r->agreements[i].problem].key, r->agreements[i].model,
               r->agreements[i].estimate, r->agreements[i].trials);
    if (r->count > 0)
        printf("  %-30s model %5.2f, estimate %5.2f%s\n", "median", r->model, r->estimate,
               r->count > FEW ? "; --json has each problem" : "");
}

static tw_status check(const struct arguments *a, struct tw_error *error) {
    struct subject s = {0};
    struct check_report report = {0};
    char fingerprint[256];
    struct wanted wanted = {fingerprint, a->cache, NULL, TW_OK, error};
    tw_status status = open_subject(a, TW_DB_READ, &s, error);
    tw_device_fingerprint(&s.device, fingerprint);
    if (status == TW_OK &&
        tw_db_model_each(s.db, s.description->kernel, take_wanted, &wanted) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(s.db));
    if (status == TW_OK)
        status = wanted.status;
    if (status == TW_OK && wanted.model == NULL)
        status =
            tw_fail(error, TW_NOT_FOUND, "%s has no model of %s on %s; tune model fit makes one",
                    s.path, s.description->kernel, s.device.name);
    if (status == TW_OK)
        status = check_model(&s.samples, wanted.model, &report, error);
    if (status == TW_OK && a->json) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kernel", s.description->kernel);
        cJSON_AddNumberToObject(json, "stale", s.samples.stale);
        add_regret(json, "model", &report.regret);
        add_agreements(json, &s.samples, &report);
        status = json_print(json, error);
    } else if (status == TW_OK) {
        print_subject(&s);
        printf(
            "  compared with   %d trials of %d problems; %d configurations have other code now\n",
            s.samples.count, s.samples.problem_count, s.samples.stale);
        print_regret("model", &report.regret);
        printf("                  which it may have been fitted to; tune model fit says what it is "
               "worth on others\n");
        print_agreements(&s.samples, &report);
    }
    check_report_free(&report);
    tw_model_free(wanted.model);
    close_subject(&s);
    return status;
}

/* ---- Which of them ---- */

#define OPTIONS_MODEL (OPTION(DEVICE) | OPTION(CACHE) | OPTION(DB) | OPTION(CONFIG) | OPTION(QUIET))

static const struct action {
    const char *name;
    tw_status (*run)(const struct arguments *arguments, struct tw_error *error);
    option_set options;
} actions[] = {
    {"fit", fit,
     OPTIONS_MODEL | OPTION(FROM) | OPTION(ANEW) | OPTION(LEAVE) | OPTION(OUTPUT) | OPTION(JSON)},
    {"check", check, OPTIONS_MODEL | OPTION(JSON)},
    {"show", model_stored_show, OPTION(DB)},
    {"import", model_stored_import, OPTION(DB) | OPTION(CONFIG) | WORDS_ARE_FILES},
    {"forget", model_stored_forget, OPTION(DEVICE) | OPTION(CACHE) | OPTION(DB)},
};

int command_model(int count, char **words) {
    struct tw_error error;
    const char *name = count > 1 ? words[1] : "";
    if (arguments_ask_help(name)) {
        fputs(help, stdout);
        return EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(name, actions[i].name) != 0)
            continue;
        return command_plain(count - 1, words + 1, actions[i].options, help, actions[i].run);
    }
    tw_fail(&error, TW_INVALID,
            "tune model%s%.40s: expected fit, show, check, import or forget; see tune model --help",
            name[0] != '\0' ? " " : "", name);
    return command_failed(TW_INVALID, &error);
}
