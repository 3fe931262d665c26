/* Reads `problem`, `arguments`, `cases` and `tolerance`: what is true of every implementation. */
#include "runtime/description/read.h"

#include <string.h>

static int read_int32(const struct tw_json *member) {
    int64_t number = tw_json_integer(member);
    if (number < -INT32_MAX || number > INT32_MAX)
        tw_json_fail(member, "must fit 32 bits");
    return (int)number;
}

static void read_number(struct tw_attribute *attribute, const struct tw_json *json) {
    static const char *const keys[] = {"least", "most", "default", "quiet", "alike", NULL};
    static const char *const names[] = {"least", "most", "default"};
    int *const numbers[] = {&attribute->least, &attribute->most, &attribute->default_word};
    tw_json_only_keys(json, keys);
    attribute->is_number = true;
    for (int i = 0; i < 3; i++) {
        struct tw_json member = tw_json_member(json, names[i]);
        *numbers[i] = read_int32(&member);
    }
    struct tw_json alike = tw_json_optional(json, "alike");
    attribute->alike_to = alike.item != NULL ? read_int32(&alike) : attribute->least - 1;
    if (attribute->default_word < attribute->least || attribute->default_word > attribute->most)
        tw_json_fail(json, "the default is not from least to most");
}

static bool is_listed(const struct tw_attribute *attribute, int word) {
    for (int i = 0; i < attribute->word_count; i++)
        if (attribute->words[i] == word)
            return true;
    return false;
}

/* The words of a list are alike to each other. */
static void read_group(struct tw_description *d, struct tw_attribute *attribute,
                       const struct tw_json *list, int group) {
    tw_json_expect_array(list);
    int count = tw_read_count(list, TW_MAX_CHOICES);
    for (int i = 0; i < count; i++) {
        struct tw_json value = tw_json_at(list, i);
        int word = tw_symbols_find_word(&d->symbols, tw_json_string(&value)), at = 0;
        while (at < attribute->word_count && attribute->words[at] != word)
            at++;
        if (at == attribute->word_count)
            tw_json_fail(&value, "is not among the values");
        else if (attribute->alike[at] != 0)
            tw_json_fail(&value, "given twice");
        else
            attribute->alike[at] = group;
    }
}

/* One list of words, or several. */
static void read_alike(struct tw_description *d, struct tw_attribute *attribute,
                       const struct tw_json *json) {
    struct tw_json alike = tw_json_optional(json, "alike");
    if (alike.item == NULL)
        return;
    tw_json_expect_array(&alike);
    struct tw_json first = tw_json_at(&alike, 0);
    int lists = cJSON_IsArray(first.item) ? tw_read_count(&alike, TW_MAX_CHOICES) : 0;
    if (lists == 0)
        read_group(d, attribute, &alike, 1);
    for (int i = 0; i < lists; i++) {
        struct tw_json list = tw_json_at(&alike, i);
        read_group(d, attribute, &list, i + 1);
    }
}

static void read_attribute(struct tw_description *d, struct tw_attribute *attribute,
                           const struct tw_json *json) {
    static const char *const keys[] = {"values", "alike", "default", "quiet", NULL};
    bool is_number = tw_json_optional(json, "least").item != NULL;
    if (!is_number)
        tw_json_only_keys(json, keys);
    if (json->context->status != TW_OK)
        return;
    strncpy(attribute->name, tw_json_key(json), TW_NAME_SIZE - 1);
    attribute->slot = tw_read_symbol(&d->symbols, tw_json_key(json), json);
    struct tw_json quiet = tw_json_optional(json, "quiet");
    attribute->quiet = tw_json_boolean(&quiet, false);
    if (is_number) {
        read_number(attribute, json);
        return;
    }
    tw_symbols_hold_word(&d->symbols, attribute->slot);
    struct tw_json values = tw_json_member(json, "values");
    tw_json_expect_array(&values);
    attribute->word_count = tw_read_count(&values, TW_MAX_CHOICES);
    for (int i = 0; i < attribute->word_count; i++) {
        struct tw_json value = tw_json_at(&values, i);
        attribute->words[i] = tw_read_word(&d->symbols, &value);
        for (int j = 0; j < i; j++)
            if (attribute->words[j] == attribute->words[i])
                tw_json_fail(&value, "given twice");
    }
    if (attribute->word_count == 0)
        tw_json_fail(&values, "needs at least one word");
    struct tw_json fallback = tw_json_member(json, "default");
    int word = tw_symbols_find_word(&d->symbols, tw_json_string(&fallback));
    if (!is_listed(attribute, word))
        tw_json_fail(&fallback, "is not among the values");
    attribute->default_word = word;
    read_alike(d, attribute, json);
}

/* [{ "when": "compute == 'tf32' && dtype != 'f32'", "because": "only f32 ..." }] */
static void read_refusals(struct tw_description *d, const struct tw_json *problem) {
    static const char *const keys[] = {"when", "because", NULL};
    struct tw_json list = tw_json_optional(problem, "refuse");
    tw_json_expect_array(&list);
    int count = tw_read_count(&list, TW_MAX_REFUSALS);
    for (int i = 0; i < count && problem->context->status == TW_OK; i++) {
        struct tw_json rule = tw_json_at(&list, i);
        struct tw_refusal *refusal = &d->refusals[d->refusal_count];
        tw_json_only_keys(&rule, keys);
        struct tw_json when = tw_json_member(&rule, "when");
        struct tw_json because = tw_json_member(&rule, "because");
        refusal->when = tw_read_expression(&d->symbols, &when);
        refusal->because = tw_read_text(&because);
        d->refusal_count++;
    }
}

void tw_read_problem(struct tw_description *d, const struct tw_json *root) {
    static const char *const keys[] = {"dimensions", "attributes", "refuse", "let", NULL};
    struct tw_json problem = tw_json_member(root, "problem");
    tw_json_only_keys(&problem, keys);

    struct tw_json dimensions = tw_json_member(&problem, "dimensions");
    tw_json_expect_array(&dimensions);
    d->dimension_count = tw_read_count(&dimensions, TW_MAX_DIMENSIONS);
    if (d->dimension_count == 0)
        tw_json_fail(&dimensions, "needs at least one dimension");
    for (int i = 0; i < d->dimension_count; i++) {
        struct tw_json name = tw_json_at(&dimensions, i);
        tw_read_name(d->dimensions[i].name, &name);
        d->dimensions[i].slot = tw_read_symbol(&d->symbols, d->dimensions[i].name, &name);
    }

    struct tw_json attributes = tw_json_optional(&problem, "attributes");
    tw_json_expect_object(&attributes);
    d->attribute_count = tw_read_count(&attributes, TW_MAX_ATTRIBUTES);
    for (int i = 0; i < d->attribute_count; i++) {
        struct tw_json attribute = tw_json_at(&attributes, i);
        read_attribute(d, &d->attributes[i], &attribute);
    }

    read_refusals(d, &problem);

    struct tw_json lets = tw_json_optional(&problem, "let");
    tw_json_expect_object(&lets);
    int count = tw_read_count(&lets, TW_MAX_LETS);
    for (int i = 0; i < count && root->context->status == TW_OK; i++) {
        struct tw_json let = tw_json_at(&lets, i);
        struct tw_named_expression *named = &d->lets[d->let_count];
        named->expression = tw_read_expression(&d->symbols, &let);
        if (named->expression == NULL)
            break;
        d->let_count++;
        strncpy(named->name, tw_json_key(&let), TW_NAME_SIZE - 1);
        named->slot = tw_read_symbol(&d->symbols, tw_json_key(&let), &let);
    }
}

/* "u8 u16 ...", for messages. */
static const char *type_words(bool only_floating, char words[TW_TYPE_COUNT * 8]) {
    words[0] = '\0';
    for (int i = 0; i < TW_TYPE_COUNT; i++) {
        const struct tw_type_info *info = tw_type_info((enum tw_type)i);
        if (info->floating || !only_floating)
            strcat(strcat(words, words[0] != '\0' ? " " : ""), info->word);
    }
    return words;
}

static enum tw_type read_type_word(const struct tw_json *json, const char *what) {
    char words[TW_TYPE_COUNT * 8];
    int type = tw_type_from_word(tw_json_string(json));
    if (type < 0)
        tw_json_fail(json, "\"%s\" is neither a type (%s) nor %s", tw_json_string(json),
                     type_words(false, words), what);
    return type < 0 ? TW_TYPE_u8 : (enum tw_type)type;
}

static int find_attribute(const struct tw_description *d, const char *name) {
    for (int i = 0; i < d->attribute_count; i++)
        if (strcmp(d->attributes[i].name, name) == 0)
            return i;
    return -1;
}

/* Types by the words of the attribute that `json` names, which are types themselves. False where it
 * names none. */
static bool read_attribute_types(const struct tw_description *d, int *of,
                                 enum tw_type types[TW_MAX_CHOICES], const struct tw_json *json) {
    *of = cJSON_IsString(json->item) ? find_attribute(d, tw_json_string(json)) : -1;
    if (*of < 0)
        return false;
    const struct tw_attribute *attribute = &d->attributes[*of];
    if (attribute->is_number)
        tw_json_fail(json, "the attribute %s is a number, and no type", attribute->name);
    for (int i = 0; i < attribute->word_count; i++) {
        const char *word = d->symbols.words[attribute->words[i]];
        int known = tw_type_from_word(word);
        if (known < 0)
            tw_json_fail(json, "the attribute %s has the word \"%s\", which is no type",
                         attribute->name, word);
        types[i] = known < 0 ? TW_TYPE_u8 : (enum tw_type)known;
    }
    return true;
}

/* A type for each word of an attribute: { "of": "dtype", "f64": "f64", "else": "f32" }. With
 * `left`, "else" may leave words to another attribute, in place of a type. */
static void read_types(const struct tw_description *d, int *attribute_index,
                       enum tw_type types[TW_MAX_CHOICES], bool *left, const struct tw_json *json) {
    struct tw_json of = tw_json_member(json, "of");
    struct tw_json otherwise = tw_json_optional(json, "else");
    int by = find_attribute(d, tw_json_string(&of));
    bool leaves =
        left != NULL && otherwise.item != NULL &&
        (cJSON_IsObject(otherwise.item) || find_attribute(d, tw_json_string(&otherwise)) >= 0);
    *attribute_index = by;
    if (by < 0) {
        tw_json_fail(&of, "\"%s\" is no attribute", tw_json_string(&of));
        return;
    }
    const struct tw_attribute *attribute = &d->attributes[by];
    const char *keys[TW_MAX_CHOICES + 3] = {"of", "else"};
    if (attribute->is_number)
        tw_json_fail(&of, "the attribute %s is a number, and has no words", attribute->name);
    for (int i = 0; i < attribute->word_count; i++) {
        keys[i + 2] = d->symbols.words[attribute->words[i]];
        struct tw_json type = tw_json_optional(json, keys[i + 2]);
        if (type.item == NULL && otherwise.item == NULL)
            tw_json_fail(json, "has no type for %s of %s", keys[i + 2], attribute->name);
        if (type.item == NULL && leaves)
            left[i] = true;
        else
            types[i] = read_type_word(type.item != NULL ? &type : &otherwise, "\"else\"");
    }
    tw_json_only_keys(json, keys);
}

static void read_type(struct tw_description *d, struct tw_argument *argument,
                      const struct tw_json *json) {
    struct tw_json type = tw_json_member(json, "type");
    argument->type_attribute = argument->second_attribute = -1;
    if (!cJSON_IsObject(type.item)) {
        if (!read_attribute_types(d, &argument->type_attribute, argument->types, &type))
            argument->type = read_type_word(&type, "an attribute");
        return;
    }
    read_types(d, &argument->type_attribute, argument->types, argument->left, &type);
    struct tw_json otherwise = tw_json_optional(&type, "else");
    if (cJSON_IsObject(otherwise.item))
        read_types(d, &argument->second_attribute, argument->second_types, NULL, &otherwise);
    else if (otherwise.item != NULL)
        read_attribute_types(d, &argument->second_attribute, argument->second_types, &otherwise);
}

/* A number, or an expression. */
static struct tw_expression *read_bound(struct tw_description *d, double *number,
                                        const struct tw_json *json) {
    if (cJSON_IsString(json->item))
        return tw_read_expression(&d->symbols, json);
    *number = tw_json_number(json);
    return NULL;
}

/* Random numbers between two bounds, or where so many things are cut into parts. */
static void read_fill(struct tw_description *d, struct tw_argument *argument,
                      const struct tw_json *fill) {
    static const char *const range_keys[] = {"low", "high", "seed", NULL};
    static const char *const part_keys[] = {"parts_of", "seed", NULL};
    struct tw_json parts = tw_json_optional(fill, "parts_of"),
                   seed = tw_json_optional(fill, "seed");
    argument->fill_seed = seed.item != NULL ? (uint32_t)tw_json_integer(&seed) : 0;
    if (parts.item != NULL) {
        tw_json_only_keys(fill, part_keys);
        argument->fill_parts_of = tw_read_expression(&d->symbols, &parts);
        if (argument->access != TW_ACCESS_IN || argument->type_attribute >= 0 ||
            argument->type != TW_TYPE_i32)
            tw_json_fail(&parts, "is for buffers of type i32 with access in");
        return;
    }
    tw_json_only_keys(fill, range_keys);
    struct tw_json low = tw_json_member(fill, "low"), high = tw_json_member(fill, "high");
    argument->fill_low_of = read_bound(d, &argument->fill_low, &low);
    argument->fill_high_of = read_bound(d, &argument->fill_high, &high);
    /* Where one is an expression, the problem decides. */
    if (argument->fill_low_of == NULL && argument->fill_high_of == NULL &&
        !(argument->fill_low < argument->fill_high))
        tw_json_fail(fill, "low must be below high");
}

static void read_buffer(struct tw_description *d, struct tw_argument *argument,
                        const struct tw_json *json) {
    static const char *const keys[] = {"name",    "kind",         "type", "access",    "rows",
                                       "columns", "stride",       "fill", "read_when", "when",
                                       "layers",  "layer_stride", NULL};
    tw_json_only_keys(json, keys);
    read_type(d, argument, json);
    struct tw_json access = tw_json_member(json, "access");
    const char *word = tw_json_string(&access);
    if (strcmp(word, "in") == 0)
        argument->access = TW_ACCESS_IN;
    else if (strcmp(word, "out") == 0)
        argument->access = TW_ACCESS_OUT;
    else if (strcmp(word, "inout") == 0)
        argument->access = TW_ACCESS_INOUT;
    else
        tw_json_fail(&access, "expected in, out or inout");
    struct tw_json rows = tw_json_member(json, "rows");
    struct tw_json columns = tw_json_member(json, "columns");
    argument->rows = tw_read_expression(&d->symbols, &rows);
    argument->columns = tw_read_expression(&d->symbols, &columns);

    struct tw_json when = tw_json_optional(json, "when");
    argument->when = tw_read_expression(&d->symbols, &when);
    struct tw_json layers = tw_json_optional(json, "layers");
    argument->layers = tw_read_expression(&d->symbols, &layers);
    struct tw_json fill = tw_json_optional(json, "fill");
    argument->fill_low = -1;
    argument->fill_high = 1;
    if (fill.item != NULL)
        read_fill(d, argument, &fill);
}

static int find_stride(const struct tw_description *d, const struct tw_json *json) {
    if (json->item == NULL)
        return -1;
    int index = tw_find_argument(d, tw_json_string(json));
    if (index < 0 || d->arguments[index].kind != TW_ARGUMENT_STRIDE)
        tw_json_fail(json, "names no stride argument");
    return index;
}

/* Strides and scalars are known once all arguments are read, so links between them come last. */
static void link_buffer(struct tw_description *d, struct tw_argument *argument,
                        const struct tw_json *json) {
    argument->read_when = -1;
    struct tw_json stride = tw_json_optional(json, "stride");
    struct tw_json layer_stride = tw_json_optional(json, "layer_stride");
    argument->stride = find_stride(d, &stride);
    argument->layer_stride = find_stride(d, &layer_stride);
    if ((argument->layers != NULL) != (argument->layer_stride >= 0))
        tw_json_fail(json, "layers and layer_stride belong together: give both or neither");
    struct tw_json read_when = tw_json_optional(json, "read_when");
    if (read_when.item != NULL) {
        int index = tw_find_argument(d, tw_json_string(&read_when));
        if (index < 0 || d->arguments[index].kind != TW_ARGUMENT_SCALAR)
            tw_json_fail(&read_when, "names no scalar argument");
        if (argument->access != TW_ACCESS_OUT)
            tw_json_fail(&read_when, "is for buffers with access out");
        argument->read_when = index;
    }
}

/* In their order: a default may be made of strides that come before. */
static void read_stride(struct tw_description *d, struct tw_argument *argument,
                        const struct tw_json *json) {
    struct tw_json fallback = tw_json_member(json, "default");
    argument->default_stride = tw_read_expression(&d->symbols, &fallback);
    argument->slot = tw_read_symbol(&d->symbols, argument->name, json);
}

void tw_read_arguments(struct tw_description *d, const struct tw_json *root) {
    static const char *const stride_keys[] = {"name", "kind", "default", "when", NULL};
    static const char *const scalar_keys[] = {"name", "kind", "type", "default", NULL};
    struct tw_json arguments = tw_json_member(root, "arguments");
    tw_json_expect_array(&arguments);
    d->argument_count = tw_read_count(&arguments, TW_MAX_ARGUMENTS);
    bool writes = false;
    for (int i = 0; i < d->argument_count && root->context->status == TW_OK; i++) {
        struct tw_json json = tw_json_at(&arguments, i);
        struct tw_argument *argument = &d->arguments[i];
        struct tw_json name = tw_json_member(&json, "name");
        struct tw_json kind = tw_json_member(&json, "kind");
        struct tw_json fallback = tw_json_optional(&json, "default");
        char text[TW_NAME_SIZE];
        tw_read_name(text, &name);
        if (tw_find_argument(d, text) >= 0 || tw_symbols_find(&d->symbols, text) >= 0)
            tw_json_fail(&name, "the name %s is taken", text);
        strcpy(argument->name, text);
        if (strcmp(tw_json_string(&kind), "buffer") == 0) {
            argument->kind = TW_ARGUMENT_BUFFER;
            read_buffer(d, argument, &json);
            writes |= argument->access != TW_ACCESS_IN;
        } else if (strcmp(tw_json_string(&kind), "stride") == 0) {
            argument->kind = TW_ARGUMENT_STRIDE;
            struct tw_json when = tw_json_optional(&json, "when");
            tw_json_only_keys(&json, stride_keys);
            argument->when = tw_read_expression(&d->symbols, &when);
        } else if (strcmp(tw_json_string(&kind), "scalar") == 0) {
            argument->kind = TW_ARGUMENT_SCALAR;
            tw_json_only_keys(&json, scalar_keys);
            read_type(d, argument, &json);
            fallback = tw_json_member(&json, "default");
            argument->default_number = tw_json_number(&fallback);
        } else {
            tw_json_fail(&kind, "expected buffer, stride or scalar");
        }
    }
    if (!writes)
        tw_json_fail(&arguments, "no buffer has access out or inout, so nothing could be checked");
    for (int i = 0; i < d->argument_count && root->context->status == TW_OK; i++) {
        struct tw_json json = tw_json_at(&arguments, i);
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER)
            link_buffer(d, &d->arguments[i], &json);
        else if (d->arguments[i].kind == TW_ARGUMENT_STRIDE)
            read_stride(d, &d->arguments[i], &json);
    }
}

void tw_read_cases(struct tw_description *d, const struct tw_json *root) {
    struct tw_json cases = tw_json_optional(root, "cases");
    tw_json_expect_array(&cases);
    int count = tw_read_count(&cases, TW_MAX_CASES);
    d->case_count = count > 0 ? count : 1;
    for (int i = 0; i < d->case_count; i++)
        for (int j = 0; j < d->argument_count; j++)
            d->cases[i].scalars[j] = d->arguments[j].default_number;
    for (int i = 0; i < count; i++) {
        struct tw_json one = tw_json_at(&cases, i);
        tw_json_expect_object(&one);
        for (int j = 0; j < tw_json_count(&one); j++) {
            struct tw_json scalar = tw_json_at(&one, j);
            int index = tw_find_argument(d, tw_json_key(&scalar));
            if (index < 0 || d->arguments[index].kind != TW_ARGUMENT_SCALAR) {
                tw_json_fail(&scalar, "names no scalar argument");
                return;
            }
            d->cases[i].scalars[index] = tw_json_number(&scalar);
        }
    }
}

void tw_read_tolerance(struct tw_description *d, const struct tw_json *root) {
    struct tw_json tolerance = tw_json_optional(root, "tolerance");
    tw_json_expect_object(&tolerance);
    for (int i = 0; i < tw_json_count(&tolerance); i++) {
        struct tw_json entry = tw_json_at(&tolerance, i);
        if (strcmp(tw_json_key(&entry), "comment") == 0)
            continue;
        if (strcmp(tw_json_key(&entry), "growth") == 0) {
            d->growth = tw_read_expression(&d->symbols, &entry);
            continue;
        }
        char words[TW_TYPE_COUNT * 8];
        int type = tw_type_from_word(tw_json_key(&entry));
        if (type < 0 || !tw_type_info((enum tw_type)type)->floating) {
            tw_json_fail(&entry, "expected a floating type (%s) or growth",
                         type_words(true, words));
            return;
        }
        d->tolerance[type] = tw_json_number(&entry);
        if (!(d->tolerance[type] > 0))
            tw_json_fail(&entry, "must be above 0");
    }
}
