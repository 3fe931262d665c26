#include "tuner/page/untuned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/select/select.h"
#include "tuner/page/html.h"
#include "tuner/page/values.h"

enum { MOST_SHAPES = 16, MOST_DIMENSION = 1 << 30 };

/* Results that are chosen from together: of a kernel, a device and a cache policy. */
struct family {
    const struct page_material *material;
    const struct setting *setting;
    const struct page_subject *like;
    struct tw_device_info device;
    int asked, count; /* the first were asked for */
    struct tw_problem shapes[MOST_SHAPES];
};

static bool of_family(const struct page_subject *a, const struct page_subject *b) {
    return a->device == b->device && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->cache, b->cache) == 0;
}

static bool is_tuned(const struct family *f, const struct tw_problem *problem) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(problem, key);
    for (int i = 0; i < f->material->subject_count; i++) {
        const struct page_subject *s = &f->material->subjects[i];
        if (of_family(s, f->like) && s->best_count > 0 && strcmp(s->key, key) == 0)
            return true;
    }
    return false;
}

static bool is_listed(const struct family *f, const struct tw_problem *problem) {
    char key[TW_PROBLEM_KEY_SIZE], other[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(problem, key);
    for (int i = 0; i < f->count; i++) {
        tw_problem_key(&f->shapes[i], other);
        if (strcmp(other, key) == 0)
            return true;
    }
    return false;
}

static void add_shape(struct family *f, const struct tw_problem *problem) {
    if (f->count < MOST_SHAPES && !is_tuned(f, problem) && !is_listed(f, problem))
        f->shapes[f->count++] = *problem;
}

/* Twice and half as large, and one more along every dimension: in between, outside, and ragged. */
static void add_around(struct family *f, const struct tw_problem *tuned) {
    for (int kind = 0; kind < 3; kind++) {
        struct tw_problem problem = *tuned;
        bool fits = true;
        for (int i = 0; i < problem.description->dimension_count; i++) {
            int64_t *size = &problem.dimensions[i];
            *size = kind == 0 ? *size / 2 : kind == 1 ? *size * 2 : *size + 1;
            fits = fits && *size >= 1 && *size <= MOST_DIMENSION;
        }
        if (fits)
            add_shape(f, &problem);
    }
}

static void collect(struct family *f, const struct tw_problem *wanted, int wanted_count) {
    for (int i = 0; i < wanted_count; i++)
        if (strcmp(wanted[i].description->kernel, f->like->kernel) == 0)
            add_shape(f, &wanted[i]);
    f->asked = f->count;
    for (int i = 0; i < f->material->subject_count; i++) {
        struct tw_problem problem;
        const struct page_subject *s = &f->material->subjects[i];
        if (of_family(s, f->like) && s->best_count > 0 &&
            setting_problem(f->setting, s, &problem, NULL) == TW_OK)
            add_around(f, &problem);
    }
}

static void add_prediction(const struct tw_selection *selection, struct tw_text *out) {
    struct tw_text text = {0};
    if (selection->predicted_us > 0)
        tw_selection_prediction(selection->predicted_us, selection->uncertainty, &text);
    html_element(out, "td", tw_text_or(&text, ""));
    out->failed |= text.failed;
    tw_text_free(&text);
}

static void add_row(const struct family *f, int index, struct tw_text *out) {
    const struct tw_problem *problem = &f->shapes[index];
    char text[TW_PROBLEM_KEY_SIZE];
    struct tw_selection selection;
    struct tw_error error;
    const struct tw_description *d = problem->description;
    const struct tw_query query = {.catalogue = f->setting->catalogue,
                                   .problem = problem,
                                   .device = &f->device,
                                   .cache = f->like->cache};
    tw_status status = tw_select(&query, &selection, &error);
    out->failed |= status == TW_NO_MEMORY;
    /* Tuned after all, though the page is not about it. */
    if (status == TW_OK && selection.rule == TW_SELECTED_EXACT && index >= f->asked)
        return;
    tw_problem_text(problem, text);
    tw_text_print(out, "<tr>");
    tw_text_print(out, "<td>");
    html_code(out, text);
    tw_text_print(out, "</td>");
    if (status != TW_OK) {
        html_print(out, "td colspan=5", "nothing: %s", error.message);
        tw_text_print(out, "</tr>\n");
        return;
    }
    struct tw_text configuration = {0};
    tw_configuration_text(d, &selection.configuration, &configuration);
    html_element(out, "td", tw_selection_word(selection.rule));
    if (selection.row != NULL)
        tw_selection_problem(d, selection.row, text);
    tw_text_print(out, "<td>");
    html_code(out, selection.row != NULL ? text : tw_selection_text(selection.rule));
    tw_text_print(out, "</td>");
    add_prediction(&selection, out);
    html_element(out, "td", d->implementations[selection.configuration.implementation].name);
    cJSON *values = cJSON_Parse(tw_text_or(&configuration, "{}"));
    tw_text_print(out, "<td class=values>");
    values_print(values, NULL, out);
    tw_text_print(out, "</td></tr>\n");
    out->failed |= configuration.failed || values == NULL;
    cJSON_Delete(values);
    tw_text_free(&configuration);
}

static void add_family(struct family *f, struct tw_text *out) {
    if (f->count == 0)
        return;
    html_print(out, "h3", "%s on %s, %s cache", f->like->kernel, f->like->device->name,
               f->like->cache);
    tw_text_print(out, "<div class=\"wide\"><table><thead><tr><th>problem<th>rule<th>from"
                       "<th>predicted to take<th>what it would run<th>configuration</tr></thead>"
                       "<tbody>\n");
    for (int i = 0; i < f->count; i++)
        add_row(f, i, out);
    tw_text_print(out, "</tbody></table></div>\n");
}

tw_status untuned_add(const struct page_material *material, const struct setting *setting,
                      const struct tw_problem *wanted, int wanted_count, struct tw_text *out,
                      struct tw_error *error) {
    struct tw_text tables = {0};
    struct family *family = calloc(1, sizeof *family);
    if (family == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < material->subject_count; i++) {
        bool here, first = true;
        for (int j = 0; j < i && first; j++)
            first = !of_family(&material->subjects[i], &material->subjects[j]);
        *family = (struct family){
            .material = material, .setting = setting, .like = &material->subjects[i]};
        if (!first ||
            !setting_device(setting, material->subjects[i].device, &family->device, &here))
            continue;
        collect(family, wanted, wanted_count);
        add_family(family, &tables);
    }
    if (tables.length > 0) {
        tw_text_print(out,
                      "<section id=untuned><h2>What shapes that were not tuned would get</h2>\n<p "
                      "class=\"hint\">As tune explain has it, with the results of this database: "
                      "shapes half, twice and one more than those that were tuned%s.</p>\n",
                      wanted_count > 0 ? ", and those that were asked for" : "");
        tw_text_add(out, tables.data, tables.length);
        tw_text_print(out, "</section>\n");
    }
    out->failed |= tables.failed;
    tw_text_free(&tables);
    free(family);
    return TW_OK;
}
