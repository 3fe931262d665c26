#include "tuner/page/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/description/languages.h"
#include "tuner/json/json.h"
#include "tuner/page/figures.h"
#include "tuner/page/fronts.h"
#include "tuner/page/html.h"
#include "tuner/page/untuned.h"
#include "tuner/page/vendor.h"
#include "tuner/report/report.h"

/* Machine code has to be compiled, which takes seconds each. */
enum { MOST_INSPECTED = 12 };

static void head(const struct page *page, const struct page_material *m, struct tw_text *out) {
    char day[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(day, sizeof day, "%Y-%m-%d %H:%M UTC", &utc);
    /* Nothing may be loaded or run, whatever has found its way into the page. */
    tw_text_print(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<title>Tilewise report</title>\n<style>\n");
    tw_text_add(out, page_style, strlen(page_style));
    tw_text_print(out, "</style>\n</head>\n<body>\n<header><h1>Tilewise report</h1>\n");
    tw_text_print(out, "<p class=\"quiet\">");
    html_text(out, page->database);
    if (page->filter.run != 0)
        tw_text_print(out, ", run %" PRId64, page->filter.run);
    tw_text_print(out, ", %d problem%s, written %s by Tilewise %s</p></header>\n", m->subject_count,
                  m->subject_count == 1 ? "" : "s", day, TW_VERSION);
}

/* ---- All subjects in a table ---- */

static double preset_time(const struct page_best *best, const char *name) {
    cJSON *presets = best->presets != NULL ? cJSON_Parse(best->presets) : NULL;
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(presets, name);
    double us = cJSON_IsNumber(time) ? time->valuedouble : 0;
    cJSON_Delete(presets);
    return us;
}

static int64_t trials_of(const struct page_subject *s) {
    int64_t count = 0;
    for (int i = 0; i < s->run_count; i++)
        count += s->runs[i].trials;
    return count;
}

static void overview_row(const struct page_subject *s, int index, struct tw_text *out) {
    tw_text_print(out, "<tr><td><a href=\"#s%d\">", index);
    html_text(out, s->kernel);
    tw_text_print(out, " ");
    html_code(out, s->problem);
    tw_text_print(out, "</a></td>");
    html_element(out, "td", s->device->name);
    html_element(out, "td", s->cache);
    if (s->best_count == 0) {
        tw_text_print(out, "<td class=n>none<td><td><td>");
    } else {
        char time[32], rate[REPORT_RATE_SIZE] = "";
        const struct page_best *best = &s->bests[0];
        double naive = preset_time(best, "naive");
        report_time(best->time_us, time);
        html_element(out, "td class=n", time);
        if (best->rate_unit != NULL)
            report_rate(best->rate, best->rate_unit, rate);
        html_element(out, "td class=n", rate);
        if (naive > 0)
            html_print(out, "td class=n", "%.2fx", naive / best->time_us);
        else
            tw_text_print(out, "<td>");
        html_element(out, "td", best->implementation);
    }
    html_print(out, "td class=n", "%" PRId64, trials_of(s));
    tw_text_print(out, "</tr>\n");
}

static void overview(const struct page_material *m, struct tw_text *out) {
    tw_text_print(out, "<section><h2>All problems</h2>\n<div class=\"wide\"><table><thead><tr>"
                       "<th>problem<th>device<th>cache<th class=n>best<th class=n>rate<th "
                       "class=n>naive takes<th>implementation<th class=n>trials</tr></thead>"
                       "<tbody>\n");
    for (int i = 0; i < m->subject_count; i++)
        overview_row(&m->subjects[i], i, out);
    tw_text_print(out, "</tbody></table></div></section>\n");
}

/* ---- One subject ---- */

static void add_tile(struct tw_text *out, const char *name, const char *value, const char *more) {
    tw_text_print(out, "<div>");
    html_element(out, "dt", name);
    html_element(out, "dd", value);
    html_element(out, "dd class=more", more);
    tw_text_print(out, "</div>");
}

static void tiles(const struct page_subject *s, struct tw_text *out) {
    char value[64], more[160], low[32], high[32];
    const struct page_best *best = &s->bests[0];
    double naive = preset_time(best, "naive"), usual = preset_time(best, "default");
    tw_text_print(out, "<dl class=tiles>");
    report_time(best->time_us, value);
    report_time(best->ci_low_us, low);
    report_time(best->ci_high_us, high);
    snprintf(more, sizeof more, "95%% interval %s to %s", low, high);
    add_tile(out, "best time", value, best->provisional ? "provisional: without a playoff" : more);
    if (best->rate_unit != NULL) {
        report_rate(best->rate, best->rate_unit, value);
        add_tile(out, "rate", value, "");
    }
    if (naive > 0) {
        snprintf(value, sizeof value, "%.2fx", naive / best->time_us);
        snprintf(more, sizeof more, "%.2fx the preset default", usual / best->time_us);
        add_tile(out, "faster than naive", value, usual > 0 ? more : "");
    }
    snprintf(value, sizeof value, "%.2g", best->max_rel_error);
    snprintf(more, sizeof more, "rms %.2g, of the answer's root mean square", best->rms_rel_error);
    if (best->has_error)
        add_tile(out, "largest error", value, more);
    snprintf(value, sizeof value, "%.2g", best->hard_max_error);
    snprintf(more, sizeof more, "rms %.2g, of the sizes summed", best->hard_rms_error);
    if (best->has_hard)
        add_tile(out, "largest error on hard inputs", value, more);
    tw_text_print(out, "</dl>\n");
}

static void list_runs(const struct page_subject *s, struct tw_text *out) {
    for (int i = 0; i < s->run_count; i++) {
        const struct page_run *run = &s->runs[i];
        char day[32];
        time_t started = (time_t)run->started_at;
        struct tm utc = {0};
        gmtime_r(&started, &utc);
        strftime(day, sizeof day, "%Y-%m-%d %H:%M UTC", &utc);
        html_print(out, "p class=quiet",
                   "Run %" PRId64 ", %s: %s, seed %" PRIu64 ", budget %g %s, %" PRId64
                   " trials, %s after %.1f s%s%s%s%s",
                   run->id, day, run->strategy, run->seed, run->budget_value, run->budget_kind,
                   run->trials, run->state, run->elapsed_s,
                   run->driver[0] != '\0' ? "; driver " : "", run->driver,
                   run->compiler[0] != '\0' ? ", " : "", run->compiler);
    }
}

static void add_subject_head(const struct page_subject *s, int index, struct tw_text *out) {
    tw_text_print(out, "<section id=\"s%d\" class=\"subject\"><h2>", index);
    html_text(out, s->kernel);
    tw_text_print(out, " <span>");
    html_code(out, s->problem);
    tw_text_print(out, "</span></h2>\n");
    html_print(out, "p", "On %s, %s cache.", s->device->name, s->cache);
    if (s->best_count > 0)
        tiles(s, out);
    else
        tw_text_print(out, "<p>Nothing worked so far.</p>\n");
    list_runs(s, out);
}

static tw_status add_subject(const struct page *page, const struct page_subject *s, int index,
                             struct tw_text *out, struct tw_error *error) {
    struct page_trials trials = {0};
    struct samples *samples = calloc(1, sizeof *samples);
    if (samples == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = material_trials(s, page->db, &trials, error);
    if (status == TW_OK && s->best_count > 0)
        status = samples_take(samples, &trials, s->bests[0].implementation, error);
    if (status == TW_OK) {
        add_subject_head(s, index, out);
        figure_ties(s, &trials, out);
        figure_convergence(s, &trials, out);
        figure_roofline(s, &page->setting, out);
        if (s->best_count > 0) {
            figure_parameters(s, samples, out);
            figure_pairs(samples, out);
        }
        figure_failures(&trials, out);
        if (index < MOST_INSPECTED && page->progress != NULL && s->best_count > 0 &&
            tw_language_of(s->device->backend)->has_machine_code)
            page->progress(s->kernel, s->problem);
        if (index < MOST_INSPECTED)
            figure_code(s, &page->setting, out);
        tw_text_print(out, "</section>\n");
    }
    samples_free(samples);
    free(samples);
    material_trials_free(&trials);
    return status;
}

/* ---- The whole ---- */

static tw_status add_all(const struct page *page, const struct page_material *m,
                         struct tw_text *out, struct tw_error *error) {
    tw_status status = TW_OK;
    head(page, m, out);
    if (m->subject_count > 1)
        overview(m, out);
    fronts_add(m, out);
    if (page->bench != NULL)
        status = vendor_add(page->bench, page->bench_text, out, error);
    for (int i = 0; i < m->subject_count && status == TW_OK; i++)
        status = add_subject(page, &m->subjects[i], i, out, error);
    if (status == TW_OK && m->subject_count > MOST_INSPECTED)
        tw_text_print(out,
                      "<p class=\"quiet\">Machine code is shown of the first %d problems; a report "
                      "of one run (--run) or kernel has that of others.</p>\n",
                      MOST_INSPECTED);
    if (status == TW_OK)
        status = untuned_add(m, &page->setting, page->wanted, page->wanted_count, out, error);
    tw_text_print(out, "</body>\n</html>\n");
    if (status == TW_OK && (out->failed || json_lacked_memory()))
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}

tw_status page_write(const struct page *page, struct tw_text *out, struct tw_error *error) {
    struct page_material material;
    tw_status status = material_read(&material, page->db, &page->filter, error);
    if (status == TW_OK)
        status = add_all(page, &material, out, error);
    material_free(&material);
    return status;
}
