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

void report_rate(double rate, const char *unit, char out[REPORT_RATE_SIZE]) {
    static const char *const smaller[][2] = {{"TFLOP/s", "GFLOP/s"}, {"GB/s", "MB/s"}};
    for (int i = 0; i < 2 && rate < 0.1; i++)
        if (strcmp(unit, smaller[i][0]) == 0) {
            rate *= 1e3;
            unit = smaller[i][1];
            break;
        }
    snprintf(out, REPORT_RATE_SIZE, "%.4g %.32s", rate, unit);
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

/* Where lines begin to say what they are about. */
enum { INDENT = 18 };

/* What a line is about, and what it says, which goes on below where it does not fit. Frees it. */
static void say(const struct terminal *terminal, const char *about, struct tw_text *text) {
    printf("  %-15s ", about);
    terminal_wrap(terminal, INDENT, INDENT, tw_text_or(text, ""));
    printf("\n");
    tw_text_free(text);
}

static void print_best(const struct tw_problem *problem, const struct session_result *r,
                       const struct terminal *terminal) {
    const struct tw_description *d = problem->description;
    struct tw_text configuration = {0}, line = {0};
    char time[32], low[32], high[32], rate[REPORT_RATE_SIZE];
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
    tw_text_print(&line, " (95%% interval %s to %s", low, high);
    if (r->rounds > 0)
        tw_text_print(&line, ", %d playoff rounds", r->rounds);
    tw_text_print(&line, ")");
    terminal_wrap(terminal, INDENT + (int)strlen(time), INDENT, tw_text_or(&line, ""));
    printf("\n");
    tw_text_clear(&line);
    report_rate(r->rate, r->rate_unit, rate);
    tw_text_print(&line, "%s", rate);
    if (r->has_copy && strcmp(r->rate_unit, "GB/s") == 0)
        tw_text_print(&line, ", %.1f%% of a device-to-device copy (%.4g GB/s)",
                      100 * r->rate / r->copy_rate, r->copy_rate);
    say(terminal, "rate", &line);
    if (r->best.has_error)
        tw_text_print(&line, "max %.2g, rms %.2g, relative to the answer's root mean square",
                      r->best.max_rel_error, r->best.rms_rel_error);
    else
        tw_text_print(&line, "none");
    say(terminal, "error", &line);
    if (r->best.has_hard) {
        tw_text_print(&line, "max %.2g, rms %.2g, relative to the sizes summed",
                      r->best.hard_max_error, r->best.hard_rms_error);
        say(terminal, "on hard inputs", &line);
    }
    if (r->tie_count > 1) {
        tw_text_print(&line, "%d other%s, as far as %d rounds can tell", r->tie_count - 1,
                      r->tie_count > 2 ? "s" : "", r->rounds);
        say(terminal, "tied with", &line);
    }
    if (r->rounds > 0 && !r->decided && r->spread > NOISY) {
        tw_text_print(&line,
                      "to tell them apart: the best one's times are spread by %.0f%% (between "
                      "quartiles)",
                      100 * r->spread);
        say(terminal, "too noisy", &line);
    }
    tw_text_free(&configuration);
}

/* What is pinned, and whether its best became the problem's. */
static void print_pins(const struct session_result *r, const struct terminal *terminal) {
    struct tw_text text = {0};
    char known[32];
    if (r->pins == NULL || r->pins->count == 0)
        return;
    pins_text(r->pins, &text);
    say(terminal, "fixed", &text);
    if (!r->has_best || r->known_us <= 0 || r->known_us > r->best.time_us)
        return;
    report_time(r->known_us, known);
    tw_text_print(&text, "as the problem's best: one of %s is known", known);
    say(terminal, "not stored", &text);
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

static void print_forgotten(const struct session_result *r, const struct terminal *terminal) {
    struct tw_text text = {0};
    report_counts(r->forgotten, &text);
    tw_text_print(&text, ", to be tried again");
    say(terminal, "forgot", &text);
}

/* Where trials were measured, and the playoff. */
static void print_devices(const struct session_result *r, const struct terminal *terminal) {
    for (int i = 0; i < r->device_count; i++) {
        const struct session_device_result *device = &r->devices[i];
        struct tw_text line = {0};
        tw_text_print(&line, "%" PRId64 " trial%s", device->trials, device->trials == 1 ? "" : "s");
        if (device->played)
            tw_text_print(&line, ", and the playoff");
        if (device->replaced > 0)
            tw_text_print(&line, ", worker replaced %d time%s", device->replaced,
                          device->replaced == 1 ? "" : "s");
        if (device->lost)
            tw_text_print(&line, ", then given up: %s", device->why);
        say(terminal, device->id, &line);
    }
}

/* What the search was told before it began. */
static void print_beginning(const struct session_result *r, const struct terminal *terminal) {
    struct tw_text line = {0};
    if (r->hints > 0) {
        tw_text_print(&line, "%d configuration%s that did well on problems near this one", r->hints,
                      r->hints == 1 ? "" : "s");
        say(terminal, "began with", &line);
    }
    if (!r->prior.used)
        return;
    tw_text_print(&line, "by the %s: %d to begin with", r->prior.of_model ? "model" : "estimate",
                  r->prior.first);
    if (r->prior.put_off > 0)
        tw_text_print(&line, ", %" PRId64 " put off", r->prior.put_off);
    if (r->prior.trials > 1)
        tw_text_print(&line, "; rank correlation %.2f over %" PRId64 " trials",
                      r->prior.rank_correlation, r->prior.trials);
    say(terminal, "predicted", &line);
}

static void print_counts(const struct session_result *r, const struct terminal *terminal) {
    struct tw_text line = {0};
    if (r->retried)
        print_forgotten(r, terminal);
    print_beginning(r, terminal);
    tw_text_print(&line, "%" PRId64 " (the space has %zu points):", r->trials, r->space_size);
    for (int i = 0; i < SESSION_STATUSES; i++)
        if (r->counts[i] > 0)
            tw_text_print(&line, " %" PRId64 " %s", r->counts[i],
                          tw_db_trial_status_text((enum tw_db_trial_status)i));
    if (r->trials_now < r->trials)
        tw_text_print(&line, " (%" PRId64 " known from before)", r->trials - r->trials_now);
    say(terminal, "trials", &line);
    if (r->stopped_now > 0) {
        tw_text_print(&line, "%" PRId64 ", clearly slower than the best by then", r->stopped_now);
        say(terminal, "stopped early", &line);
    }
    if (r->siblings_now > 0) {
        tw_text_print(
            &line, "%" PRId64 " trial%s with binaries of the best, while compilers were waited for",
            r->siblings_now, r->siblings_now == 1 ? "" : "s");
        say(terminal, "not compiled", &line);
    }
    if (r->again_now > 0) {
        tw_text_print(&line, "%" PRId64 " times the best so far, while compilers were waited for",
                      r->again_now);
        say(terminal, "measured again", &line);
    }
    if (r->compile_wall_s > 0) {
        tw_text_print(&line, "%" PRId64 " sources, %.1f a second", r->compiled,
                      (double)r->compiled / r->compile_wall_s);
        if (r->shared > 0)
            tw_text_print(&line, "; %" PRId64 " launches shared", r->shared);
        say(terminal, "compiled", &line);
    }
    if (r->other_runs > 0) {
        tw_text_print(&line,
                      "%d other run%s of this problem: they shared their trials and disturbed each "
                      "other's times",
                      r->other_runs, r->other_runs > 1 ? "s" : "");
        say(terminal, "beside", &line);
    }
    if (r->device_count > 1) {
        print_devices(r, terminal);
    } else if (r->replaced > 0) {
        tw_text_print(&line, "replaced %d times", r->replaced);
        say(terminal, "device worker", &line);
    }
}

static void print_wall(const struct wall_parts *w, const struct terminal *terminal) {
    struct tw_text line = {0};
    tw_text_print(
        &line,
        "%.1f compiling, %.1f waiting, %.1f verifying, %.1f measuring, %.1f playoff, %.1f "
        "rest; device busy %.0f%%",
        w->compiling, w->waiting, w->verifying, w->measuring, w->playoff, w->rest, 100 * w->busy);
    say(terminal, "of which", &line);
}

static void print_title(const struct tw_problem *problem, const char *where,
                        const struct terminal *terminal) {
    char key[TW_PROBLEM_KEY_SIZE];
    const char *kernel = problem->description->kernel;
    tw_problem_text(problem, key);
    terminal_print(terminal, INK_STRONG, 0, kernel);
    printf(" ");
    terminal_print(terminal, INK_STRONG, 0, key);
    terminal_wrap(terminal, (int)(strlen(kernel) + 1 + strlen(key)), 4, where);
    printf("\n");
}

void report_before(const struct tw_problem *problem, const char *device_id,
                   const struct tw_db_best_row *best) {
    const struct terminal terminal = terminal_of(stdout);
    struct tw_text line = {0};
    char time[32], rate[REPORT_RATE_SIZE];
    tw_text_print(&line, " on %s", best->device.name);
    if (device_id != NULL)
        tw_text_print(&line, " (%s)", device_id);
    print_title(problem, tw_text_or(&line, ""), &terminal);
    tw_text_clear(&line);
    report_time(best->best.time_us, time);
    tw_text_print(&line, "%s", time);
    if (best->best.rate_unit != NULL) {
        report_rate(best->best.rate, best->best.rate_unit, rate);
        tw_text_print(&line, ", %s", rate);
    }
    tw_text_print(&line, " (%s)", best->implementation_name);
    say(&terminal, "done before", &line);
}

void report_table(const struct tw_problem *problem, const struct tw_device_info *device,
                  const struct session_result *r, const char *db_path, bool verbose) {
    const struct terminal terminal = terminal_of(stdout);
    struct tw_text line = {0};
    if (r->device_count > 1)
        tw_text_print(&line, " on %d of %s", r->device_count, device->name);
    else
        tw_text_print(&line, " on %s (%s)", device->name, device->id);
    print_title(problem, tw_text_or(&line, ""), &terminal);
    tw_text_clear(&line);
    print_pins(r, &terminal);
    if (r->has_best) {
        print_best(problem, r, &terminal);
        print_presets(problem, r, verbose, &terminal);
        if (r->unverified[0] != '\0') {
            tw_text_print(&line, "%s", r->unverified);
            say(&terminal, "verified", &line);
        }
    }
    print_counts(r, &terminal);
    if (r->interrupted)
        tw_text_print(&line, "after %.1f s; the same command goes on from here", r->elapsed_s);
    else
        tw_text_print(&line, "%.1f%s", r->elapsed_s, r->resumed ? " (resumed)" : "");
    say(&terminal, r->interrupted ? "interrupted" : "seconds", &line);
    print_wall(&r->wall, &terminal);
    printf("  database        %s\n", db_path);
}
