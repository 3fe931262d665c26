#include "runtime/description/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/read.h"

static void read_terms(struct tw_description *d, const struct tw_json *json) {
    tw_json_expect_object(json);
    for (int i = 0; i < tw_json_count(json); i++) {
        struct tw_json member = tw_json_at(json, i);
        int argument = tw_find_argument(d, tw_json_key(&member));
        if (argument < 0 || d->arguments[argument].kind != TW_ARGUMENT_BUFFER) {
            tw_json_fail(&member, "names no buffer");
            return;
        }
        d->accuracy->terms[argument] = tw_read_expression(&d->symbols, &member);
    }
}

/* One of `words`, by its place; 0 where there is none. */
static int read_choice(const struct tw_json *json, const char *const words[], int count,
                       const char *expected) {
    if (json->item == NULL)
        return 0;
    for (int i = 0; i < count; i++)
        if (strcmp(tw_json_string(json), words[i]) == 0)
            return i;
    tw_json_fail(json, "expected %s", expected);
    return 0;
}

static void read_exponents(struct tw_hard_fill *fill, const struct tw_json *json) {
    static const char *const scopes[] = {"elements", "lines", "terms"};
    struct tw_json range = tw_json_optional(json, "exponents");
    struct tw_json of = tw_json_optional(json, "exponents_of");
    fill->exponents_of =
        (enum tw_exponents_of)read_choice(&of, scopes, 3, "elements, lines or terms");
    tw_json_expect_array(&range);
    if (range.item == NULL)
        return;
    struct tw_json least = tw_json_at(&range, 0), most = tw_json_at(&range, 1);
    int64_t from = tw_json_integer(&least), to = tw_json_integer(&most);
    if (tw_json_count(&range) != 2 || from > to || from < -2000 || to > 2000)
        tw_json_fail(&range, "needs the least exponent and the most");
    fill->least_exponent = (int)from;
    fill->most_exponent = (int)to;
}

static void read_spots(struct tw_description *d, struct tw_hard_fill *fill,
                       const struct tw_json *json) {
    static const char *const keys[] = {"line", "term", "value", NULL};
    static const char *const values[] = {"nan", "inf", "-inf"};
    static const double numbers[] = {NAN, INFINITY, -INFINITY};
    struct tw_json list = tw_json_optional(json, "spots");
    tw_json_expect_array(&list);
    int count = tw_read_count(&list, TW_MAX_SPOTS);
    for (int i = 0; i < count && json->context->status == TW_OK; i++) {
        struct tw_spot *spot = &fill->spots[fill->spot_count++];
        struct tw_json one = tw_json_at(&list, i);
        tw_json_only_keys(&one, keys);
        struct tw_json line = tw_json_member(&one, "line"), term = tw_json_member(&one, "term");
        struct tw_json value = tw_json_member(&one, "value");
        spot->line = tw_read_expression(&d->symbols, &line);
        spot->term = tw_read_expression(&d->symbols, &term);
        spot->value = numbers[read_choice(&value, values, 3, "nan, inf or -inf")];
    }
}

static void read_fill(struct tw_description *d, struct tw_hard_fill *fill,
                      const struct tw_json *json) {
    static const char *const keys[] = {"low",         "high",  "exponents", "exponents_of",
                                       "second_half", "spots", NULL};
    static const char *const halves[] = {"", "same", "negated"};
    tw_json_only_keys(json, keys);
    fill->argument = tw_find_argument(d, tw_json_key(json));
    if (fill->argument < 0 || d->arguments[fill->argument].kind != TW_ARGUMENT_BUFFER ||
        d->arguments[fill->argument].access != TW_ACCESS_IN) {
        tw_json_fail(json, "names no buffer with access in");
        fill->argument = 0;
        return;
    }
    struct tw_json low = tw_json_optional(json, "low"), high = tw_json_optional(json, "high");
    struct tw_json half = tw_json_optional(json, "second_half");
    fill->low = low.item != NULL ? tw_json_number(&low) : -1;
    fill->high = high.item != NULL ? tw_json_number(&high) : 1;
    if (!(fill->low < fill->high))
        tw_json_fail(json, "low must be below high");
    int chosen = read_choice(&half, halves, 3, "same or negated");
    fill->second_half = chosen == 2 ? -1 : chosen;
    read_exponents(fill, json);
    read_spots(d, fill, json);
}

static void read_family(struct tw_description *d, struct tw_input_family *family,
                        const struct tw_json *json) {
    tw_json_expect_object(json);
    if (!tw_is_identifier(tw_json_key(json))) {
        tw_json_fail(json, "needs a name (letters, digits and _)");
        return;
    }
    strcpy(family->name, tw_json_key(json));
    for (int i = 0; i < tw_json_count(json) && json->context->status == TW_OK; i++) {
        struct tw_json member = tw_json_at(json, i);
        if (strcmp(tw_json_key(&member), "comment") == 0)
            continue;
        if (strcmp(tw_json_key(&member), "when") == 0) {
            family->when = tw_read_expression(&d->symbols, &member);
        } else if (family->fill_count == TW_MAX_FILLS) {
            tw_json_fail(json, "fills more than %d buffers", TW_MAX_FILLS);
        } else {
            read_fill(d, &family->fills[family->fill_count++], &member);
        }
    }
}

static double read_size(const struct tw_json *json, const char *key) {
    struct tw_json number = tw_json_optional(json, key);
    double size = number.item != NULL ? tw_json_number(&number) : 0;
    if (!(size >= 0))
        tw_json_fail(&number, "must not be negative");
    return size;
}

static void read_bounds(struct tw_description *d, const struct tw_json *json) {
    static const char *const keys[] = {"when", "promises", "plain", "max", "rms", NULL};
    struct tw_json list = tw_json_member(json, "bounds");
    tw_json_expect_array(&list);
    int count = tw_read_count(&list, TW_MAX_BOUNDS);
    if (count == 0)
        tw_json_fail(&list, "needs at least one bound");
    for (int i = 0; i < count && json->context->status == TW_OK; i++) {
        struct tw_json one = tw_json_at(&list, i);
        tw_json_only_keys(&one, keys);
        struct tw_json when = tw_json_member(&one, "when");
        struct tw_json promises = tw_json_member(&one, "promises");
        struct tw_error_bound *bound = &d->accuracy->bounds[d->accuracy->bound_count++];
        bound->when = tw_read_expression(&d->symbols, &when);
        bound->promises = tw_read_text(&promises);
        bound->times_plain = read_size(&one, "plain");
        bound->max = read_size(&one, "max");
        bound->rms = read_size(&one, "rms");
        if (bound->times_plain == 0 && !(bound->max > 0 && bound->rms > 0))
            tw_json_fail(&one, "allows no error: give plain, or max and rms");
    }
}

void tw_read_accuracy(struct tw_description *d, const struct tw_json *root) {
    static const char *const keys[] = {"terms", "plain", "inputs", "bounds", NULL};
    struct tw_json json = tw_json_optional(root, "accuracy");
    if (json.item == NULL)
        return;
    tw_json_only_keys(&json, keys);
    d->accuracy = calloc(1, sizeof *d->accuracy);
    if (d->accuracy == NULL) {
        tw_json_no_memory(&json);
        return;
    }
    struct tw_json terms = tw_json_optional(&json, "terms"), plain = tw_json_member(&json, "plain");
    struct tw_json inputs = tw_json_member(&json, "inputs");
    read_terms(d, &terms);
    if (plain.item != NULL)
        tw_read_launch(d, NULL, &d->accuracy->plain, &plain);
    tw_json_expect_object(&inputs);
    int count = tw_read_count(&inputs, TW_MAX_FAMILIES);
    if (count == 0)
        tw_json_fail(&inputs, "needs at least one family of inputs");
    for (int i = 0; i < count && json.context->status == TW_OK; i++) {
        struct tw_json family = tw_json_at(&inputs, i);
        read_family(d, &d->accuracy->families[d->accuracy->family_count++], &family);
    }
    read_bounds(d, &json);
}

void tw_accuracy_free(struct tw_accuracy *accuracy) {
    if (accuracy == NULL)
        return;
    for (int i = 0; i < TW_MAX_ARGUMENTS; i++)
        tw_expression_free(accuracy->terms[i]);
    tw_launch_description_free(&accuracy->plain);
    for (int i = 0; i < accuracy->family_count; i++) {
        struct tw_input_family *family = &accuracy->families[i];
        tw_expression_free(family->when);
        for (int f = 0; f < family->fill_count; f++)
            for (int s = 0; s < family->fills[f].spot_count; s++) {
                tw_expression_free(family->fills[f].spots[s].line);
                tw_expression_free(family->fills[f].spots[s].term);
            }
    }
    for (int i = 0; i < accuracy->bound_count; i++) {
        tw_expression_free(accuracy->bounds[i].when);
        free(accuracy->bounds[i].promises);
    }
    free(accuracy);
}

static bool holds(const struct tw_expression *when, const int64_t *values) {
    int64_t result = 0;
    return when == NULL ||
           (tw_expression_evaluate(when, values, &result) == TW_EVALUATED && result != 0);
}

const struct tw_error_bound *tw_accuracy_bound(const struct tw_description *d,
                                               const int64_t *values) {
    for (int i = 0; d->accuracy != NULL && i < d->accuracy->bound_count; i++)
        if (holds(d->accuracy->bounds[i].when, values))
            return &d->accuracy->bounds[i];
    return NULL;
}

bool tw_accuracy_has(const struct tw_input_family *family, const int64_t *values) {
    return holds(family->when, values);
}
