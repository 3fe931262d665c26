/* The winner's machine code: what it takes of the device, and what its loop is made of. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/languages.h"
#include "tuner/inspect/inspect.h"
#include "tuner/page/figures.h"
#include "tuner/page/html.h"
#include "tuner/page/plot.h"

/* Kinds of instructions that are told of together. */
static const struct {
    const char *words;
    enum sass_kind kinds[3]; /* SASS_KINDS ends the list */
} groups[] = {{"multiply-adds", {SASS_FFMA, SASS_FFMA2, SASS_DFMA}},
              {"tensor cores' products", {SASS_TENSOR, SASS_KINDS, 0}},
              {"other floating point", {SASS_FLOAT, SASS_KINDS, 0}},
              {"integer", {SASS_INTEGER, SASS_KINDS, 0}},
              {"moves", {SASS_MOVE, SASS_KINDS, 0}},
              {"shared memory", {SASS_SHARED_LOAD, SASS_SHARED_STORE, SASS_KINDS}},
              {"global memory", {SASS_GLOBAL_LOAD, SASS_GLOBAL_STORE, SASS_KINDS}},
              {"asynchronous copies", {SASS_ASYNC_COPY, SASS_BULK_COPY, SASS_KINDS}},
              {"local memory", {SASS_LOCAL_LOAD, SASS_LOCAL_STORE, SASS_KINDS}},
              {"barriers", {SASS_BARRIER, SASS_KINDS, 0}},
              {"branches", {SASS_BRANCH, SASS_EXIT, SASS_KINDS}}};

enum { GROUPS = sizeof groups / sizeof *groups };

static void fact(struct tw_text *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fact(struct tw_text *out, const char *name, const char *format, ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tw_text_print(out, "<div>");
    html_element(out, "dt", name);
    html_element(out, "dd", text);
    tw_text_print(out, "</div>");
}

static int of_group(const struct code_counts *counts, int index) {
    int count = 0;
    for (int i = 0; i < 3 && groups[index].kinds[i] != SASS_KINDS; i++)
        count += counts->kinds[groups[index].kinds[i]];
    return count;
}

static void add_occupancy(const struct inspection *in, const struct occupancy *o,
                          struct tw_text *out) {
    char limits[80] = "";
    if (!o->known)
        return;
    for (int i = 0; i < OCCUPANCY_LIMITS; i++)
        if (o->limits[i])
            snprintf(limits + strlen(limits), sizeof limits - strlen(limits), "%s%s",
                     limits[0] == '\0' ? ", limited by " : " and ", occupancy_limit_word(i));
    fact(out, "occupancy", "%.0f%%: %" PRId64 " block%s an SM%s",
         100.0 * (double)o->warps / (double)o->max_warps, o->blocks, o->blocks == 1 ? "" : "s",
         limits);
    if (o->waves > 0)
        fact(out, "waves", "%.2f over %" PRId64 " SMs; the last fills %.0f%%", o->waves,
             in->device.compute_units, 100 * o->last_wave);
}

static void add_facts(const struct inspection *in, const struct inspected_launch *launch,
                      struct tw_text *out) {
    const struct tw_geometry *g = &launch->geometry;
    const struct tw_kernel_resources *r = &launch->resources;
    tw_text_print(out, "<dl class=facts>");
    fact(out, "launch", "%ux%ux%u blocks of %ux%ux%u threads", g->grid[0], g->grid[1], g->grid[2],
         g->block[0], g->block[1], g->block[2]);
    if (r->registers > 0)
        fact(out, "registers a thread", "%" PRId64, r->registers);
    fact(out, "local memory a thread", "%" PRId64 " bytes%s", r->local_bytes,
         r->local_bytes > 0 ? ": spills, or arrays" : "");
    fact(out, "shared memory a block", "%.0f bytes",
         (double)r->static_shared + inspect_dynamic_shared(in, launch));
    add_occupancy(in, &launch->occupancy, out);
    if (launch->has_code)
        fact(out, "instructions", launch->has_loop ? "%d, %d of them in the loop" : "%d",
             launch->kernel.counts.instructions, launch->loop.counts.instructions);
    const struct inspect_bounds bounds = inspect_bounds_of(in, launch);
    if (bounds.issue > 0)
        fact(out, "at most", "%.1f%% of the %s peak, by what is issued", 100 * bounds.issue,
             bounds.opcode);
    if (bounds.reads > 0)
        fact(out, "estimate", "%.1f%% of the FFMA peak, by register reads", 100 * bounds.reads);
    if (bounds.operands > 0)
        fact(out, "at most", "%.1f%% of it, by operands read from shared memory",
             100 * bounds.operands);
    tw_text_print(out, "</dl>\n");
}

static void draw_mix(const struct inspected_launch *launch, struct tw_text *out) {
    const struct code_counts *counts =
        launch->has_loop ? &launch->loop.counts : &launch->kernel.counts;
    int rows = 0;
    for (int i = 0; i < GROUPS; i++)
        rows += of_group(counts, i) > 0;
    if (rows == 0)
        return;
    tw_text_print(out,
                  "<div class=\"figures two\"><figure><figcaption>Instructions of the %s"
                  "</figcaption><svg viewBox=\"0 0 360 %d\" role=\"img\" "
                  "aria-label=\"Instructions by what they do\">",
                  launch->has_loop ? "inner loop" : "kernel", 8 + 19 * rows);
    double y = 14;
    for (int i = 0; i < GROUPS; i++) {
        int count = of_group(counts, i);
        double share = (double)count / counts->instructions;
        char words[32];
        if (count == 0)
            continue;
        double drawn = share < 1 ? share : 1;
        snprintf(words, sizeof words, "%d (%.1f%%)", count, 100 * share);
        plot_words(out, 132, y + 3.5, "end", "tick", groups[i].words);
        tw_text_print(out, "<rect x=\"138\" y=\"%.1f\" width=\"%.1f\" height=\"12\" class=\"%s\"/>",
                      y - 6, 140 * drawn, i < 2 ? "bar own" : "bar");
        plot_words(out, 144 + 140 * drawn, y + 3.5, "start", "note", words);
        y += 19;
    }
    tw_text_print(out, "</svg></figure></div>\n");
}

static void add_launch(const struct inspection *in, const struct inspected_launch *launch,
                       struct tw_text *out) {
    tw_text_print(out, "<h4><code>");
    html_text(out, launch->function);
    tw_text_print(out, "</code></h4>\n");
    add_facts(in, launch, out);
    if (launch->has_code)
        draw_mix(launch, out);
}

static tw_status look(const struct page_subject *subject, const struct setting *setting,
                      struct inspection *in, struct tw_error *error) {
    bool here;
    tw_status status = setting_problem(setting, subject, &in->problem, error);
    if (status != TW_OK)
        return status;
    if (!tw_language_of(subject->device->backend)->has_machine_code)
        return tw_fail(error, TW_UNAVAILABLE, "it is read on CUDA only");
    if (!setting_device(setting, subject->device, &in->device, &here))
        return tw_fail(error, TW_UNAVAILABLE,
                       "the device is not here, and too little is known of it");
    in->on_paper = !here;
    in->cache = subject->cache;
    in->catalogue = setting->catalogue;
    status = inspect(in, error);
    if (status == TW_OK && !in->has_stored)
        status = tw_fail(error, TW_NOT_FOUND,
                         "what is compiled has changed since this was stored (tune db check)");
    return status;
}

void figure_code(const struct page_subject *subject, const struct setting *setting,
                 struct tw_text *out) {
    struct tw_error error = {0};
    if (subject->best_count == 0)
        return;
    struct inspection *in = calloc(1, sizeof *in);
    if (in == NULL) {
        out->failed = true;
        return;
    }
    tw_text_print(out, "<h3>The winner's machine code</h3>\n");
    tw_status status = look(subject, setting, in, &error);
    out->failed |= status == TW_NO_MEMORY;
    if (status != TW_OK)
        html_print(out, "p class=quiet", "Not here: %s.", error.message);
    for (int i = 0; status == TW_OK && i < in->count; i++)
        add_launch(in, &in->launches[i], out);
    if (status == TW_OK && in->no_code.message[0] != '\0')
        html_print(out, "p class=quiet", "No listing: %s.", in->no_code.message);
    free(in);
}
