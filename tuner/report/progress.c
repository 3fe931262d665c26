#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/base/printable.h"
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

/* What a line is to begin with has the terminal's line for itself. */
static void close_line(struct progress_printer *printer) {
    if (printer->line_open)
        fputs("\r\033[K", stderr);
    printer->line_open = false;
}

static void tell_of_others(struct progress_printer *printer, int runs) {
    if (runs == 0 || printer->told_of_others)
        return;
    printer->told_of_others = true;
    close_line(printer->board != NULL ? &printer->board->line : printer);
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

/* One line of all. */
static void print_all(struct progress_board *board) {
    double now = tw_clock_now() - board->began_at;
    if (now < board->line.next_at)
        return;
    board->line.next_at = now + board->line.interval;
    int64_t trials = board->trials, failures = board->failures;
    int devices = 0;
    for (int i = 0; i < board->count; i++) {
        trials += board->printers[i]->last.trials;
        failures += board->printers[i]->last.failures;
        devices += board->printers[i]->last.devices;
    }
    char line[256];
    snprintf(line, sizeof line,
             "%d of %d problems done, %d under way on %d device%s: %" PRId64
             " trial%s in %.0f s, %" PRId64 " failed",
             board->done, board->problems, board->count, devices, devices == 1 ? "" : "s", trials,
             trials == 1 ? "" : "s", now, failures);
    const struct session_progress share = {.elapsed_s = board->done,
                                           .left_s = board->problems - board->done};
    rewrite_line(&board->line, line, &share);
    fflush(stderr);
}

/* What is left out where a terminal has no room for it and the bar: step by step what matters
 * least.
 */
enum brevity { WHOLE, WITHOUT_RATE, WITHOUT_ZERO, WITHOUT_ELAPSED };

static void own_line(const struct progress_printer *printer, const struct session_progress *p,
                     enum brevity brevity, struct tw_text *line) {
    char left[24], time[32] = "none yet", rate[REPORT_RATE_SIZE];
    left_text(p->left_s, left);
    if (p->best_us > 0)
        report_time(p->best_us, time);
    tw_text_clear(line);
    if (printer->label != NULL)
        tw_text_print(line, "%s: ", printer->label);
    tw_text_print(line, "%s", p->phase);
    if (p->devices > 1)
        tw_text_print(line, " on %d devices", p->devices);
    tw_text_print(line, ": %" PRId64 " trial%s", p->trials, p->trials == 1 ? "" : "s");
    if (brevity < WITHOUT_ELAPSED)
        tw_text_print(line, " in %.0f s", p->elapsed_s);
    tw_text_print(line, ", best %s", time);
    if (p->best_us > 0 && brevity < WITHOUT_RATE) {
        report_rate(p->best_rate, p->best_rate_unit, rate);
        tw_text_print(line, " (%s)", rate);
    }
    if (p->failures > 0 || brevity < WITHOUT_ZERO)
        tw_text_print(line, ", %" PRId64 " failed", p->failures);
    tw_text_print(line, "%s", left);
}

static void print_own(struct progress_printer *printer, const struct session_progress *p) {
    if (p->elapsed_s < printer->next_at)
        return;
    printer->next_at = p->elapsed_s + printer->interval;
    const int columns = printer->terminal.columns, bar = p->left_s < 0 ? 1 : LEAST_BAR + 4;
    struct tw_text line = {0};
    enum brevity brevity = WHOLE;
    own_line(printer, p, brevity, &line);
    while (columns > 0 && brevity < WITHOUT_ELAPSED && (int)line.length + bar > columns)
        own_line(printer, p, ++brevity, &line);
    if (columns > 0)
        rewrite_line(printer, tw_text_or(&line, ""), p);
    else
        fprintf(stderr, "%s\n", tw_text_or(&line, ""));
    fflush(stderr);
    tw_text_free(&line);
}

void progress_print(void *context, const struct session_progress *p) {
    struct progress_printer *printer = context;
    struct progress_board *board = printer->board;
    if (board != NULL)
        pthread_mutex_lock(&board->lock);
    tell_of_others(printer, p->other_runs);
    printer->last = *p;
    if (board != NULL && board->line.terminal.columns > 0)
        print_all(board);
    else
        print_own(printer, p);
    if (board != NULL)
        pthread_mutex_unlock(&board->lock);
}

void progress_hold(struct progress_printer *printer) {
    if (printer->board != NULL)
        pthread_mutex_lock(&printer->board->lock);
    close_line(printer->board != NULL ? &printer->board->line : printer);
}

void progress_released(struct progress_printer *printer) {
    if (printer->board != NULL)
        pthread_mutex_unlock(&printer->board->lock);
}

void progress_notice(void *context, const char *line) {
    progress_hold(context);
    tw_printable_line(stderr, "tune: %s", line);
    progress_released(context);
}

void progress_end(struct progress_printer *printer) {
    progress_hold(printer);
    progress_released(printer);
}

/* ---- Several at once ---- */

void progress_board_begin(struct progress_board *board, int problems) {
    *board = (struct progress_board){.problems = problems, .began_at = tw_clock_now()};
    pthread_mutex_init(&board->lock, NULL);
    progress_begin(&board->line);
}

void progress_join(struct progress_printer *printer, struct progress_board *board,
                   const char *label) {
    progress_begin(printer);
    printer->board = board;
    printer->label = label;
    pthread_mutex_lock(&board->lock);
    board->printers[board->count++] = printer;
    pthread_mutex_unlock(&board->lock);
}

void progress_leave(struct progress_printer *printer, bool done) {
    struct progress_board *board = printer->board;
    pthread_mutex_lock(&board->lock);
    board->done += done;
    board->trials += done ? printer->last.trials : 0;
    board->failures += done ? printer->last.failures : 0;
    for (int i = 0; i < board->count; i++)
        if (board->printers[i] == printer)
            board->printers[i] = board->printers[--board->count];
    pthread_mutex_unlock(&board->lock);
}

void progress_board_end(struct progress_board *board) {
    close_line(&board->line);
    pthread_mutex_destroy(&board->lock);
}
