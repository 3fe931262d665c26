/* What the device allows, the presets on the way there, and the winner. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "tuner/inspect/roofline.h"
#include "tuner/page/figures.h"
#include "tuner/page/html.h"
#include "tuner/page/plot.h"
#include "tuner/report/report.h"

enum { MOST_STEPS = 48 };

struct step {
    const char *name, *shows; /* `shows`: "" when there is nothing to say */
    double time_us;
};

struct steps {
    int count;
    struct step steps[MOST_STEPS];
};

/* ---- The steps: the ladder's rungs in their order, then the other presets, the slowest first ----
 */

static bool has_step(const struct steps *steps, const char *name) {
    for (int i = 0; i < steps->count; i++)
        if (strcmp(steps->steps[i].name, name) == 0)
            return true;
    return false;
}

static void add_step(struct steps *steps, const cJSON *presets, const char *name,
                     const char *shows) {
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(presets, name);
    if (cJSON_IsNumber(time) && time->valuedouble > 0 && steps->count < MOST_STEPS &&
        !has_step(steps, name))
        steps->steps[steps->count++] =
            (struct step){.name = name, .shows = shows, .time_us = time->valuedouble};
}

static int by_time(const void *a, const void *b) {
    const struct step *x = a, *y = b;
    return (x->time_us < y->time_us) - (x->time_us > y->time_us);
}

static void collect(struct steps *steps, const cJSON *presets, const struct tw_description *d) {
    *steps = (struct steps){0};
    for (int i = 0; d != NULL && i < d->rung_count; i++)
        if (d->rungs[i].kernel[0] == '\0')
            add_step(steps, presets, d->rungs[i].preset, d->rungs[i].shows);
    int rungs = steps->count;
    const cJSON *preset;
    cJSON_ArrayForEach(preset, presets) add_step(steps, presets, preset->string, "");
    qsort(steps->steps + rungs, (size_t)(steps->count - rungs), sizeof *steps->steps, by_time);
}

/* ---- The roofline ---- */

static void draw_roofs(const struct plot *p, const struct roofline *r) {
    tw_text_print(p->out, "<path class=\"roof\" d=\"");
    if (r->bandwidth > 0) {
        double ridge = r->peak > 0 ? r->peak / r->bandwidth : p->x.high;
        double from = p->y.low / r->bandwidth > p->x.low ? p->y.low / r->bandwidth : p->x.low;
        double to = ridge < p->x.high ? ridge : p->x.high;
        tw_text_print(p->out, "M%.1f %.1fL%.1f %.1f", plot_x(p, from),
                      plot_y(p, from * r->bandwidth), plot_x(p, to), plot_y(p, to * r->bandwidth));
    }
    if (r->peak > 0) {
        double ridge = r->bandwidth > 0 ? r->peak / r->bandwidth : p->x.low;
        tw_text_print(p->out, "M%.1f %.1fH%.1f", plot_x(p, ridge), plot_y(p, r->peak), p->right);
    }
    tw_text_print(p->out, "\"/>");
}

static void rate_tick(double flops, char out[32]) {
    snprintf(out, 32, flops < 1e12 ? "%.3g G" : "%.3g T",
             flops < 1e12 ? flops * 1e-9 : flops * 1e-12);
}

static void draw_roofline(const struct roofline *r, const struct steps *steps, double best_us,
                          struct tw_text *out) {
    struct plot p;
    double high = r->work.flops / best_us * 1e6, low = high;
    double ridge = r->peak > 0 && r->bandwidth > 0 ? r->peak / r->bandwidth : r->intensity;
    for (int i = 0; i < steps->count; i++) {
        double rate = r->work.flops / steps->steps[i].time_us * 1e6;
        low = rate < low ? rate : low;
    }
    plot_begin(&p, out, "Roofline",
               "Rates of the presets and of the winner under the roofs that "
               "memory and arithmetic set",
               240);
    p.x =
        plot_axis_of((r->intensity < ridge ? r->intensity : ridge) / 6,
                     (r->intensity > ridge ? r->intensity : ridge) * 6, true, "operations a byte");
    p.y = plot_axis_of(low, r->peak > high ? r->peak : high, true, "operations a second");
    p.y.tick = rate_tick;
    plot_axes(&p);
    draw_roofs(&p, r);
    for (int i = 0; i < steps->count; i++) {
        char title[120];
        snprintf(title, sizeof title, "%.60s", steps->steps[i].name);
        plot_dot(&p, r->intensity, r->work.flops / steps->steps[i].time_us * 1e6, 3, "point",
                 title);
    }
    plot_dot(&p, r->intensity, r->work.flops / best_us * 1e6, 4.5, "point own", "the winner");
    plot_words(out, plot_x(&p, r->intensity) + 8, plot_y(&p, r->work.flops / best_us * 1e6) + 4,
               "start", "note strong", "winner");
    plot_end(&p);
}

/* ---- The ladder ---- */

static void add_row(const struct step *step, const struct page_best *best, const struct roofline *r,
                    bool own, struct tw_text *out) {
    char time[32], text[REPORT_RATE_SIZE];
    const char *unit;
    double share = best->time_us / step->time_us;
    report_time(step->time_us, time);
    tw_text_print(out, "<tr%s>", own ? " class=own" : "");
    tw_text_print(out, "<td>");
    html_element(out, own ? "b" : "span", step->name);
    if (step->shows[0] != '\0') {
        tw_text_print(out, "<br>");
        html_element(out, "small", step->shows);
    }
    tw_text_print(out, "</td>");
    html_element(out, "td class=n", time);
    if (r != NULL) {
        double rate = tw_work_rate(&r->work, step->time_us * 1e-6, &unit);
        report_rate(rate, unit, text);
        html_element(out, "td class=n", text);
    }
    if (r != NULL && r->bound != ROOFLINE_UNKNOWN)
        html_print(out, "td class=n", "%.1f%%", 100 * r->bound_us / step->time_us);
    tw_text_print(
        out,
        "<td class=barcell><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><rect width=\"%.1f\" height=\"10\" class=\"%s\"/></svg></td>",
        share < 1 ? 100 * share : 100, own ? "bar own" : "bar");
    html_print(out, "td class=n", share < 1 ? "%.2fx" : "%.2fx", 1 / share);
    tw_text_print(out, "</tr>\n");
}

static void add_ladder(const struct steps *steps, const struct page_best *best,
                       const struct roofline *r, struct tw_text *out) {
    const struct step winner = {.name = "the winner", .shows = "", .time_us = best->time_us};
    tw_text_print(out,
                  "<div class=\"wide\"><table class=ladder><thead><tr><th>preset<th class=n>time");
    if (r != NULL)
        tw_text_print(out, "<th class=n>rate");
    if (r != NULL && r->bound != ROOFLINE_UNKNOWN)
        tw_text_print(out, "<th class=n>of the bound");
    tw_text_print(out, "<th>speed<th class=n>winner is faster</tr></thead><tbody>\n");
    for (int i = 0; i < steps->count; i++)
        add_row(&steps->steps[i], best, r, false, out);
    add_row(&winner, best, r, true, out);
    tw_text_print(out, "</tbody></table></div>\n");
}

static void add_bounds(const struct roofline *r, struct tw_text *out) {
    char time[32];
    tw_text_print(out, "<p class=\"hint\">");
    if (r->work.flops > 0)
        tw_text_print(out, "%.4g Gflop on %.4g MB: %.4g operations a byte. ", r->work.flops * 1e-9,
                      r->work.bytes * 1e-6, r->intensity);
    else
        tw_text_print(out, "It moves %.4g MB. ", r->work.bytes * 1e-6);
    if (r->work.flops > 0 && r->peak > 0)
        tw_text_print(out, "The device computes at most %.4g TFLOP/s. ", r->peak * 1e-12);
    else if (r->work.flops > 0)
        tw_text_print(out, "The device's arithmetic peak is not known. ");
    if (r->bandwidth > 0)
        tw_text_print(out, "Its memory gives %.4g GB/s. ", r->bandwidth * 1e-9);
    else
        tw_text_print(out, "The bandwidth of its memory is not known. ");
    if (r->bound != ROOFLINE_UNKNOWN) {
        report_time(r->bound_us, time);
        tw_text_print(out, "So %s is the least a call can take, by %s.", time,
                      r->bound == ROOFLINE_ARITHMETIC ? "arithmetic" : "memory");
    }
    tw_text_print(out, "</p>\n");
}

static bool find_roofline(const struct page_subject *subject, const struct setting *setting,
                          struct roofline *r, const struct tw_description **d) {
    struct tw_problem problem;
    struct tw_device_info device;
    struct tw_work work;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    bool here;
    if (setting_problem(setting, subject, &problem, NULL) != TW_OK)
        return false;
    *d = problem.description;
    if (!setting_device(setting, subject->device, &device, &here))
        return false;
    tw_device_values(&device, slots);
    if (tw_problem_bind(&problem, slots, NULL, values, NULL) != TW_OK ||
        tw_problem_work(&problem, values, &work, NULL) != TW_OK)
        return false;
    roofline_of(&device, &problem, &work, r);
    return true;
}

void figure_roofline(const struct page_subject *subject, const struct setting *setting,
                     struct tw_text *out) {
    const struct tw_description *d = NULL;
    struct roofline roofline;
    struct steps steps;
    if (subject->best_count == 0)
        return;
    const struct page_best *best = &subject->bests[0];
    bool known = find_roofline(subject, setting, &roofline, &d);
    cJSON *presets = best->presets != NULL ? cJSON_Parse(best->presets) : NULL;
    collect(&steps, presets, d);
    if (known || steps.count > 0)
        tw_text_print(out, "<h3>What the device allows, and the steps to the winner</h3>\n");
    if (known)
        add_bounds(&roofline, out);
    if (known && roofline.intensity > 0 && (roofline.peak > 0 || roofline.bandwidth > 0)) {
        tw_text_print(out, "<div class=\"figures two\">\n");
        draw_roofline(&roofline, &steps, best->time_us, out);
        tw_text_print(out, "</div>\n");
    }
    if (steps.count > 0)
        add_ladder(&steps, best, known ? &roofline : NULL, out);
    cJSON_Delete(presets);
}
