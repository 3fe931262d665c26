#include <math.h>
#include <string.h>

#include "tools/bench/report.h"
#include "tools/bench/summary.h"
#include "tuner/report/report.h"

bool match_is_tuned(const struct contest *contest) {
    return contest->plan != NULL && strcmp(contest->plan->rule, "exact") == 0;
}

static void print_ours(const struct contest *contest, FILE *file) {
    if (contest->plan == NULL)
        return;
    if (match_is_tuned(contest))
        fprintf(file, "  tilewise runs what was tuned for this problem: %s %s\n",
                contest->plan->implementation, contest->plan->configuration);
    else
        fprintf(file, "  tilewise is NOT TUNED for this problem (%s: %s) and runs %s %s\n",
                contest->plan->rule, contest->plan->reason, contest->plan->implementation,
                contest->plan->configuration);
}

static void print_outcome(const struct contest *contest, const struct outcome *o, FILE *file) {
    const char *unit;
    char median[32], low[32], high[32], ratio[48] = "", errors[48] = "not compared";
    char queueing[64] = "", late[48] = "";
    if (!outcome_timed(o)) {
        fprintf(file, "  %-18s  %s: %s\n", o->entry->contender->name,
                o->failure.status == TW_UNAVAILABLE ? "absent" : "FAILED", o->failure.message);
        return;
    }
    report_time(1e6 * o->median, median);
    report_time(1e6 * o->low, low);
    report_time(1e6 * o->high, high);
    double rate = tw_work_rate(&contest->task.work, o->median, &unit);
    if (o->entry->role != ROLE_OURS && contest->ours != NULL)
        snprintf(ratio, sizeof ratio, "%.3f [%.3f, %.3f]", o->ratio, o->ratio_low, o->ratio_high);
    if (o->compared)
        snprintf(errors, sizeof errors, "%-10.3g  %-10.3g", o->errors.max, o->errors.rms);
    if (o->queueing > o->median)
        snprintf(queueing, sizeof queueing, "the host takes %.3g us to queue it; ",
                 1e6 * o->queueing);
    if (o->late > 0)
        snprintf(late, sizeof late, "%d batches not queued in time; ", o->late);
    fprintf(file, "  %-18s  %-9s  [%s, %s]%*s  %8.4g %-7s  %-21s  %-22s  %s%s%s%s%s\n",
            o->entry->contender->name, median, low, high, (int)(22 - strlen(low) - strlen(high)),
            "", rate, unit, ratio, errors, outcome_is_wrong(o) ? "WRONG " : "",
            o->entry->role == ROLE_PART ? "part of the task; " : "", queueing, late,
            o->detail.data != NULL ? o->detail.data : "");
}

static void print_match(const struct contest *contest, FILE *file) {
    fprintf(file, "\n%s %s\n", contest->task.description->kernel, contest->task.key);
    print_ours(contest, file);
    fprintf(file, "  %-18s  %-9s  %-24s  %-15s  %-21s  %-10s  %-10s\n", "", "median", "interval",
            "rate", "ratio to tilewise", "max error", "rms error");
    for (int i = 0; i < contest->count; i++)
        print_outcome(contest, &contest->outcomes[i], file);
    fprintf(file,
            "  %d rounds, %.1f%% intervals, %d set%s of buffers, errors of %.3g%% of the rows\n",
            contest->rounds, 100 * contest->confidence, contest->set_count,
            contest->set_count == 1 ? "" : "s", 100 * contest->checked);
}

/* Ours over the vendor's: above 1, ours is less exact. */
static void error_ratio(double ours, double vendor, char out[16]) {
    if (vendor > 0)
        snprintf(out, 16, "%.2f", ours / vendor);
    else
        snprintf(out, 16, "%s", ours > 0 ? "worse" : "exact");
}

static void print_line(const struct contest *contest, FILE *file) {
    char ours[32] = "failed", vendor[32] = "-", ratio[16] = "-", max[16] = "-", rms[16] = "-";
    if (contest->ours != NULL)
        report_time(1e6 * contest->ours->median, ours);
    if (contest->vendor != NULL)
        report_time(1e6 * contest->vendor->median, vendor);
    if (contest->ours != NULL && contest->vendor != NULL) {
        snprintf(ratio, sizeof ratio, "%.3f", contest->vendor->ratio);
        error_ratio(contest->ours->errors.max, contest->vendor->errors.max, max);
        error_ratio(contest->ours->errors.rms, contest->vendor->errors.rms, rms);
    }
    fprintf(file, "%-10s %-44s %-9s  %-9s  %-18s  %-6s  %-6s  %-6s  %s\n",
            contest->task.description->kernel, contest->task.key, ours, vendor,
            contest->vendor != NULL ? contest->vendor->entry->contender->name : "none", ratio, max,
            rms,
            contest->ours != NULL && outcome_is_wrong(contest->ours) ? "WRONG ANSWER"
            : match_is_tuned(contest)                                ? "tuned"
                                                                     : "NOT TUNED");
}

void report_as_table(const struct report *report, FILE *file) {
    struct summary summary;
    fprintf(file,
            "%s: %s (%s), caches %s; a ratio is a time over that of tilewise: above 1, "
            "tilewise is faster\n"
            "errors are against double, relative to the root mean square of the right answer\n",
            report->stage->info.id, report->stage->info.name, report->stage->info.driver,
            report->cache);
    if (strcmp(report->conditions, "{}") != 0)
        fprintf(file, "the device afterwards: %s\n", report->conditions);
    for (int i = 0; i < report->count; i++)
        print_match(&report->contests[i], file);
    fprintf(file, "\n%-10s %-44s %-9s  %-9s  %-18s  %-6s  %-14s\n", "", "", "tilewise", "vendor",
            "its fastest", "ratio", "max, rms error over the vendor's");
    for (int i = 0; i < report->count; i++)
        print_line(&report->contests[i], file);
    summary_make(&summary, report->contests, report->count);
    fprintf(file, "\n");
    for (int i = 0; i < summary.count; i++)
        fprintf(file, "%-10s against %-18s  geometric mean %.3f, least %.3f, of %d (%s)\n",
                summary.lines[i].kernel, summary.lines[i].opponent, summary.lines[i].geometric_mean,
                summary.lines[i].least, summary.lines[i].count, role_name(summary.lines[i].role));
}
