#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "tuner/report/report.h"

void progress_begin(struct progress_printer *printer) {
    *printer = (struct progress_printer){.terminal = isatty(STDERR_FILENO) != 0};
    printer->interval = printer->terminal ? 0.2 : 5;
}

static void left_text(double seconds, char out[24]) {
    if (seconds < 0)
        out[0] = '\0';
    else if (seconds < 120)
        snprintf(out, 24, ", %.0f s left", seconds);
    else
        snprintf(out, 24, ", %.0f min left", seconds / 60);
}

static void tell_of_others(struct progress_printer *printer, int runs) {
    if (runs == 0 || printer->told_of_others)
        return;
    printer->told_of_others = true;
    progress_end(printer);
    fprintf(stderr,
            "tune: %d other run%s of this problem %s under way on this device; they share their "
            "trials and disturb each other's times\n",
            runs, runs > 1 ? "s" : "", runs > 1 ? "are" : "is");
}

void progress_print(void *context, const struct session_progress *p) {
    struct progress_printer *printer = context;
    tell_of_others(printer, p->other_runs);
    if (p->elapsed_s < printer->next_at)
        return;
    printer->next_at = p->elapsed_s + printer->interval;
    char left[24], time[32] = "none yet", rate[48] = "";
    left_text(p->left_s, left);
    if (p->best_us > 0) {
        report_time(p->best_us, time);
        snprintf(rate, sizeof rate, " (%.4g %s)", p->best_rate, p->best_rate_unit);
    }
    fprintf(stderr, "%s%s: %" PRId64 " trials in %.0f s, best %s%s, %" PRId64 " failed%s%s",
            printer->terminal ? "\r" : "", p->phase, p->trials, p->elapsed_s, time, rate,
            p->failures, left, printer->terminal ? "\033[K" : "\n");
    printer->line_open = printer->terminal;
    fflush(stderr);
}

void progress_end(struct progress_printer *printer) {
    if (printer->line_open)
        fputs("\r\033[K", stderr);
    printer->line_open = false;
}
