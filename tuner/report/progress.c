#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tuner/report/report.h"

void progress_begin(struct progress_printer *printer) {
    *printer = (struct progress_printer){.terminal = terminal_of(stderr)};
    printer->interval = printer->terminal.columns > 0 ? 0.2 : 5;
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

enum { LEAST_BAR = 8, MOST_BAR = 30 };

/* "[=====>    ] ", of what is done of the budget; nothing where there is no room or no telling. */
static void bar_text(double elapsed, double left, int room, char out[MOST_BAR + 8]) {
    int length = room < MOST_BAR ? room : MOST_BAR;
    out[0] = '\0';
    if (left < 0 || elapsed + left <= 0 || length < LEAST_BAR)
        return;
    int done = (int)(length * elapsed / (elapsed + left));
    memset(out + 1, ' ', (size_t)length);
    memset(out + 1, '=', (size_t)done);
    if (done < length)
        out[1 + done] = '>';
    out[0] = '[';
    memcpy(out + 1 + length, "] ", sizeof "] ");
}

/* A line that is longer than the terminal is wide could not be rewritten. */
static void rewrite_line(struct progress_printer *printer, const char *line,
                         const struct session_progress *p) {
    const struct terminal *terminal = &printer->terminal;
    char bar[MOST_BAR + 8];
    bar_text(p->elapsed_s, p->left_s, terminal->columns - (int)strlen(line) - 4, bar);
    fputs("\r", stderr);
    if (bar[0] != '\0')
        terminal_print(terminal, INK_GOOD, 0, bar);
    terminal_cut(terminal, (int)strlen(bar) + 1, line);
    fputs("\033[K", stderr);
    printer->line_open = true;
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
    char line[256];
    snprintf(line, sizeof line, "%s: %" PRId64 " trials in %.0f s, best %s%s, %" PRId64 " failed%s",
             p->phase, p->trials, p->elapsed_s, time, rate, p->failures, left);
    if (printer->terminal.columns > 0)
        rewrite_line(printer, line, p);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
}

void progress_end(struct progress_printer *printer) {
    if (printer->line_open)
        fputs("\r\033[K", stderr);
    printer->line_open = false;
}
