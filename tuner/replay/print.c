#include "tuner/replay/print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/printable.h"

enum { CELL = 20 };

/* "93 (61-140)"; what was not reached is ">". */
static void print_quartiles(const struct quartiles *q) {
    char cell[64];
    const double values[] = {q->median, q->low, q->high};
    char words[3][16];
    for (int i = 0; i < 3; i++)
        if (isinf(values[i]))
            snprintf(words[i], sizeof words[i], ">");
        else
            snprintf(words[i], sizeof words[i], "%.*f",
                     values[i] < 10 && values[i] != floor(values[i]), values[i]);
    snprintf(cell, sizeof cell, "%s (%s-%s)", words[0], words[1], words[2]);
    printf(" %*s", CELL, cell);
}

static int name_width(const struct replay_request *request) {
    int width = 8;
    for (int i = 0; i < request->strategies; i++) {
        int length = snprintf(NULL, 0, "%s", request->names[i]);
        width = length > width ? length : width;
    }
    return width;
}

static void print_targets(const char *what, int width) {
    printf("%-*s", width, what);
    for (int i = 0; i < ASSESSMENT_TARGETS; i++) {
        char head[32];
        snprintf(head, sizeof head, "to %.0f%%", 100 * assessment_targets[i]);
        printf(" %*s", CELL, head);
    }
}

static void print_expected(const struct recording *recording, int width) {
    size_t points = space_size(recording->space);
    printf("%-*s", width, "chance");
    for (int i = 0; i < ASSESSMENT_TARGETS; i++) {
        size_t good = 0;
        for (size_t p = 0; p < points; p++)
            good += recording->points[p].ok &&
                    recording->points[p].seconds <= recording->best * (1 + assessment_targets[i]);
        print_quartiles(&(struct quartiles){baseline_reaches(points, good, 0.25),
                                            baseline_reaches(points, good, 0.5),
                                            baseline_reaches(points, good, 0.75)});
    }
    printf("\n");
}

static void print_foresight(const struct foresight *f) {
    if (f->trials == 0) {
        tw_printable_line(stdout, "predicted: nothing: %s", f->why);
        return;
    }
    printf("predicted: rank correlation %.2f by the estimate", f->estimate);
    if (f->has_model)
        printf(", %.2f by the model", f->model);
    printf(", over %zu configurations\n", f->trials);
}

void replay_print_file(const struct replayed *r, const struct replay_request *request) {
    int width = name_width(request);
    char end[40];
    const struct recording *recording = r->recording;
    if (request->options.seconds > 0)
        snprintf(end, sizeof end, "after %.4g s", request->options.seconds);
    else
        snprintf(end, sizeof end, "after %zu", request->options.trials);
    int more = strlen(end) > 8 ? (int)strlen(end) - 8 : 0;
    size_t points = space_size(recording->space);
    printf("%s: %s on %s, %zu configurations, %zu failed, best %.4g us, a trial takes %.3g s\n",
           recording->origin, recording->kernel[0] != '\0' ? recording->kernel : "a kernel",
           recording->device[0] != '\0' ? recording->device : "a device", points,
           points - recording->ok, recording->best * 1e6, r->baseline->trial_seconds);
    print_foresight(r->foresight);
    print_targets("trials", width);
    printf("   after %d  %*s (worst)   score\n", ASSESSMENT_EARLY, 8 + more, end);
    print_expected(recording, width);
    for (int i = 0; i < request->strategies; i++) {
        const struct assessment *a = &r->assessments[i];
        printf("%-*s", width, request->names[i]);
        for (int t = 0; t < ASSESSMENT_TARGETS; t++)
            print_quartiles(&a->trials[t]);
        printf("  %7.2f%%  %*.2f%% (%5.2f%%)  %7.3f\n", 100 * a->early.median, 7 + more,
               100 * a->late.median, 100 * a->worst, a->score);
    }
    print_targets("seconds", width);
    printf("   searches within 5, 2, 1%%   trials\n");
    for (int i = 0; i < request->strategies; i++) {
        printf("%-*s", width, request->names[i]);
        for (int t = 0; t < ASSESSMENT_TARGETS; t++)
            print_quartiles(&r->assessments[i].seconds[t]);
        const double *near = r->assessments[i].near;
        printf("  %6.0f%% %6.0f%% %6.0f%%  %9.0f\n", 100 * near[1], 100 * near[2], 100 * near[3],
               r->assessments[i].count.median);
    }
    printf("\n");
}

/* ---- All files together ---- */

/* The geometric mean over the files of the median trials to a target; what was not reached counts
 * as all trials. *missed: on how many files. */
static double mean_trials(const struct replayed *replayed, int files, int strategy, int target,
                          int *missed) {
    double sum = 0;
    *missed = 0;
    for (int f = 0; f < files; f++) {
        const struct assessment *a = &replayed[f].assessments[strategy];
        double median = a->trials[target].median;
        *missed += isinf(median) ? 1 : 0;
        sum += log(isinf(median) ? fmax(a->count.median, 1) : median);
    }
    return exp(sum / files);
}

/* The geometric mean of the gap after ASSESSMENT_EARLY trials, plus 1%, which keeps 0 from deciding
 * it. */
static double mean_gap(const struct replayed *replayed, int files, int strategy) {
    double sum = 0;
    for (int f = 0; f < files; f++)
        sum += log(replayed[f].assessments[strategy].early.median + 0.01);
    return exp(sum / files);
}

static double mean_score(const struct replayed *replayed, int files, int strategy) {
    double sum = 0;
    for (int f = 0; f < files; f++)
        sum += replayed[f].assessments[strategy].score;
    return sum / files;
}

void replay_print_summary(const struct replayed *replayed, int files,
                          const struct replay_request *request) {
    int width = name_width(request);
    printf("%d files: geometric means of the medians (+: not reached on so many files, counted as "
           "all trials)\n%-*s",
           files, width, "trials");
    for (int i = 0; i < ASSESSMENT_TARGETS; i++)
        printf("     to %2.0f%%  ", 100 * assessment_targets[i]);
    printf("  after %d, + 1%%   mean score\n", ASSESSMENT_EARLY);
    for (int s = 0; s < request->strategies; s++) {
        printf("%-*s", width, request->names[s]);
        for (int t = 0; t < ASSESSMENT_TARGETS; t++) {
            int missed;
            double mean = mean_trials(replayed, files, s, t, &missed);
            char more[16] = "";
            if (missed > 0)
                snprintf(more, sizeof more, "+%d", missed);
            printf(" %7.1f%-4s", mean, more);
        }
        printf("  %14.2f%%  %11.3f\n", 100 * mean_gap(replayed, files, s),
               mean_score(replayed, files, s));
    }
}
