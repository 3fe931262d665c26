#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/report/report.h"

void report_time(double us, char out[32]) {
    if (us < 1000)
        snprintf(out, 32, "%.4g us", us);
    else if (us < 1e6)
        snprintf(out, 32, "%.4g ms", us * 1e-3);
    else
        snprintf(out, 32, "%.4g s", us * 1e-6);
}

/* A spread, as a share of the time, at which a quiet machine would do better. */
static const double NOISY = 0.05;

void report_counts(const int64_t counts[TW_DB_TRIAL_STATUS_COUNT], struct tw_text *text) {
    int64_t total = 0;
    for (int i = 0; i < TW_DB_TRIAL_STATUS_COUNT; i++)
        total += counts[i];
    if (total == 0) {
        tw_text_print(text, "no trials");
        return;
    }
    tw_text_print(text, "%" PRId64 " trial%s (", total, total == 1 ? "" : "s");
    const char *between = "";
    for (int i = 0; i < TW_DB_TRIAL_STATUS_COUNT; i++) {
        if (counts[i] == 0)
            continue;
        tw_text_print(text, "%s%" PRId64 " %s", between, counts[i],
                      tw_db_trial_status_text((enum tw_db_trial_status)i));
        between = ", ";
    }
    tw_text_print(text, ")");
}

/* What a line is about, where the others begin. */
enum { INDENT = 18 };

static void print_best(const struct tw_problem *problem, const struct session_result *r,
                       const struct terminal *terminal) {
    const struct tw_description *d = problem->description;
    struct tw_text configuration = {0};
    char time[32], low[32], high[32];
    tw_configuration_text(d, &r->best.configuration, &configuration);
    report_time(r->best.time_us, time);
    report_time(r->ci_low_us, low);
    report_time(r->ci_high_us, high);
    const char *name = d->implementations[r->best.configuration.implementation].name;
    printf("  best            ");
    terminal_print(terminal, INK_STRONG, 0, name);
    printf(" ");
    terminal_wrap(terminal, INDENT + (int)strlen(name) + 1, INDENT, tw_text_or(&configuration, ""));
    printf("\n  time            ");
    terminal_print(terminal, INK_GOOD, 0, time);
    printf(" (95%% interval %s to %s", low, high);
    if (r->rounds > 0)
        printf(", %d playoff rounds", r->rounds);
    printf(")\n");
    printf("  rate            %.4g %s", r->rate, r->rate_unit);
    if (r->has_copy && strcmp(r->rate_unit, "GB/s") == 0)
        printf(", %.1f%% of a device-to-device copy (%.4g GB/s)", 100 * r->rate / r->copy_rate,
               r->copy_rate);
    printf("\n");
    if (r->best.has_error)
        printf("  error           max %.2g, rms %.2g, relative to the answer's root mean square\n",
               r->best.max_rel_error, r->best.rms_rel_error);
    else
        printf("  error           none\n");
    if (r->best.has_hard)
        printf("  on hard inputs  max %.2g, rms %.2g, relative to the sizes summed\n",
               r->best.hard_max_error, r->best.hard_rms_error);
    if (r->tie_count > 1)
        printf("  tied with       %d other%s, as far as %d rounds can tell\n", r->tie_count - 1,
               r->tie_count > 2 ? "s" : "", r->rounds);
    if (r->rounds > 0 && !r->decided && r->spread > NOISY)
        printf("  too noisy       to tell them apart: the best one's times are spread by %.0f%% "
               "(between quartiles)\n",
               100 * r->spread);
    tw_text_free(&configuration);
}

/* What is pinned, and whether its best became the problem's. */
static void print_pins(const struct session_result *r) {
    struct tw_text text = {0};
    char known[32];
    if (r->pins == NULL || r->pins->count == 0)
        return;
    pins_text(r->pins, &text);
    printf("  fixed           %s\n", tw_text_or(&text, ""));
    tw_text_free(&text);
    if (!r->has_best || r->known_us <= 0 || r->known_us > r->best.time_us)
        return;
    report_time(r->known_us, known);
    printf("  not stored      as the problem's best: one of %s is known\n", known);
}

/* The best beside a preset that takes `ratio` times as long. */
static void comparison(double ratio, char out[24]) {
    if (ratio >= 1.01)
        snprintf(out, 24, "%.2fx faster", ratio);
    else if (ratio <= 0.99)
        snprintf(out, 24, "%.2fx slower", 1 / ratio);
    else
        snprintf(out, 24, "as fast");
}

static void print_preset_time(const struct tw_problem *problem, const struct session_result *r,
                              const struct session_preset *preset,
                              const struct terminal *terminal) {
    char time[32], beside[24];
    double ratio = preset->trial.time_us / r->best.time_us;
    bool itself = tw_configuration_equal(problem->description, &preset->configuration,
                                         &r->best.configuration);
    report_time(preset->trial.time_us, time);
    comparison(ratio, beside);
    printf("    %-18s %-10s ", preset->name, time);
    if (itself || ratio > 0.99)
        fputs(itself ? "this one" : beside, stdout);
    else
        terminal_print(terminal, INK_BAD, 0, beside);
    printf("%s\n", r->rounds > 0 && !preset->in_playoff ? ", by the search" : "");
}

/* A preset that has no time. */
static void print_no_time(const struct session_preset *preset, const struct terminal *terminal) {
    enum { USED = 4 + 18 + 1 };
    struct tw_text why = {0};
    if (!preset->fits)
        tw_text_print(&why, "not here: %s", preset->trial.message);
    else if (!preset->tried)
        tw_text_print(&why, "not tried");
    else
        tw_text_print(&why, "%s: %s", tw_db_trial_status_text(preset->trial.status),
                      preset->trial.message);
    printf("    %-18s ", preset->name);
    if (preset->fits && preset->tried)
        terminal_print(terminal, INK_BAD, 0, tw_text_or(&why, ""));
    else
        terminal_wrap(terminal, USED, USED, tw_text_or(&why, ""));
    printf("\n");
    tw_text_free(&why);
}

static void print_presets(const struct tw_problem *problem, const struct session_result *r,
                          bool verbose, const struct terminal *terminal) {
    int ruled_out = 0;
    printf("  preset               time       best is\n");
    for (int i = 0; i < r->preset_count; i++) {
        const struct session_preset *preset = &r->presets[i];
        ruled_out += !preset->fits;
        if (!preset->fits && !verbose)
            continue;
        if (preset->fits && preset->tried && preset->trial.status == TW_DB_TRIAL_OK)
            print_preset_time(problem, r, preset, terminal);
        else
            print_no_time(preset, terminal);
    }
    if (ruled_out > 0 && !verbose)
        printf("    %d more cannot be used here; --verbose says why\n", ruled_out);
}

static void print_forgotten(const struct session_result *r) {
    struct tw_text text = {0};
    report_counts(r->forgotten, &text);
    printf("  forgot          %s, to be tried again\n", tw_text_or(&text, ""));
    tw_text_free(&text);
}

/* Where trials were measured, and the playoff. */
static void print_devices(const struct session_result *r) {
    for (int i = 0; i < r->device_count; i++) {
        const struct session_device_result *device = &r->devices[i];
        printf("  %-15s %" PRId64 " trial%s", device->id, device->trials,
               device->trials == 1 ? "" : "s");
        if (device->played)
            printf(", and the playoff");
        if (device->replaced > 0)
            printf(", worker replaced %d time%s", device->replaced,
                   device->replaced == 1 ? "" : "s");
        if (device->lost)
            tw_printable_line(stdout, ", then given up: %s", device->why);
        else
            printf("\n");
    }
}

static void print_counts(const struct session_result *r) {
    if (r->retried)
        print_forgotten(r);
    if (r->hints > 0)
        printf("  began with      %d configuration%s that did well on problems near this one\n",
               r->hints, r->hints == 1 ? "" : "s");
    if (r->prior.used) {
        printf("  predicted       by the %s: %d to begin with",
               r->prior.of_model ? "model" : "estimate", r->prior.first);
        if (r->prior.put_off > 0)
            printf(", %" PRId64 " put off", r->prior.put_off);
        if (r->prior.trials > 1)
            printf("; rank correlation %.2f over %" PRId64 " trials", r->prior.rank_correlation,
                   r->prior.trials);
        printf("\n");
    }
    printf("  trials          %" PRId64 " (the space has %zu points):", r->trials, r->space_size);
    for (int i = 0; i < SESSION_STATUSES; i++)
        if (r->counts[i] > 0)
            printf(" %" PRId64 " %s", r->counts[i],
                   tw_db_trial_status_text((enum tw_db_trial_status)i));
    if (r->trials_now < r->trials)
        printf(" (%" PRId64 " known from before)", r->trials - r->trials_now);
    printf("\n");
    if (r->stopped_now > 0)
        printf("  stopped early   %" PRId64 ", clearly slower than the best by then\n",
               r->stopped_now);
    if (r->compile_wall_s > 0)
        printf("  compiled        %" PRId64 " sources, %.1f a second\n", r->compiled,
               (double)r->compiled / r->compile_wall_s);
    if (r->other_runs > 0)
        printf("  beside          %d other run%s of this problem: they shared their trials and "
               "disturbed each other's times\n",
               r->other_runs, r->other_runs > 1 ? "s" : "");
    if (r->device_count > 1)
        print_devices(r);
    else if (r->replaced > 0)
        printf("  device worker   replaced %d times\n", r->replaced);
}

static void print_wall(const struct wall_parts *w) {
    printf("  of which        %.1f compiling, %.1f waiting, %.1f verifying, %.1f measuring, %.1f "
           "playoff, %.1f rest; device busy %.0f%%\n",
           w->compiling, w->waiting, w->verifying, w->measuring, w->playoff, w->rest,
           100 * w->busy);
}

void report_table(const struct tw_problem *problem, const struct tw_device_info *device,
                  const struct session_result *r, const char *db_path, bool verbose) {
    char key[TW_PROBLEM_KEY_SIZE];
    const struct terminal terminal = terminal_of(stdout);
    tw_problem_text(problem, key);
    terminal_print(&terminal, INK_STRONG, 0, problem->description->kernel);
    printf(" ");
    terminal_print(&terminal, INK_STRONG, 0, key);
    if (r->device_count > 1)
        printf(" on %d of %s\n", r->device_count, device->name);
    else
        printf(" on %s (%s)\n", device->name, device->id);
    print_pins(r);
    if (r->has_best) {
        print_best(problem, r, &terminal);
        print_presets(problem, r, verbose, &terminal);
        if (r->unverified[0] != '\0')
            printf("  verified        %s\n", r->unverified);
    }
    print_counts(r);
    if (r->interrupted)
        printf("  interrupted     after %.1f s; the same command goes on from here\n",
               r->elapsed_s);
    else
        printf("  seconds         %.1f%s\n", r->elapsed_s, r->resumed ? " (resumed)" : "");
    print_wall(&r->wall);
    printf("  database        %s\n", db_path);
}
