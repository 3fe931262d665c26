#include "tuner/commands/device_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"

/* What is being chosen from, and what has been. */
struct choice {
    const struct tw_device_info *there;
    size_t count;
    const char *words;
    int chosen_count;
    const struct tw_device_info *chosen[DEVICE_LIST_MOST];
    struct tw_error *error;
};

static tw_status add(struct choice *c, const struct tw_device_info *device) {
    for (int i = 0; i < c->chosen_count; i++)
        if (c->chosen[i] == device)
            return tw_fail(c->error, TW_INVALID,
                           "--devices %s: names %s twice; a device takes part once", c->words,
                           device->id);
    if (c->chosen_count == DEVICE_LIST_MOST)
        return tw_fail(c->error, TW_INVALID, "--devices %s: more than %d devices", c->words,
                       DEVICE_LIST_MOST);
    c->chosen[c->chosen_count++] = device;
    return TW_OK;
}

/* Whether an earlier device is the same card through another backend. */
static bool is_shown_before(const struct choice *c, size_t index) {
    const struct tw_device_info *device = &c->there[index];
    for (size_t i = 0; i < index; i++)
        if (strcmp(c->there[i].backend, device->backend) != 0 &&
            strcmp(c->there[i].name, device->name) == 0)
            return true;
    return false;
}

static tw_status add_all(struct choice *c) {
    bool gpus = false;
    tw_status status = TW_OK;
    for (size_t i = 0; i < c->count; i++)
        gpus |= !c->there[i].is_cpu;
    for (size_t i = 0; i < c->count && status == TW_OK; i++)
        if (c->there[i].is_cpu != gpus && !is_shown_before(c, i))
            status = add(c, &c->there[i]);
    if (status == TW_OK && c->count == 0)
        status = tw_fail(c->error, TW_UNAVAILABLE,
                         "--devices %s: there is no device; see tune devices", c->words);
    return status;
}

static tw_status no_such(const struct choice *c, const char *item) {
    struct tw_text known = {0};
    for (size_t i = 0; i < c->count; i++)
        tw_text_print(&known, "%s%s", i > 0 ? ", " : "", c->there[i].id);
    tw_status status =
        tw_fail(c->error, TW_NOT_FOUND, "--devices %s: there is no device %s; there are: %s",
                c->words, item, tw_text_or(&known, "none (see tune devices)"));
    tw_text_free(&known);
    return status;
}

static tw_status add_backend(struct choice *c, const char *backend) {
    tw_status status = TW_OK;
    int before = c->chosen_count;
    for (size_t i = 0; i < c->count && status == TW_OK; i++)
        if (strcmp(c->there[i].backend, backend) == 0)
            status = add(c, &c->there[i]);
    return status == TW_OK && c->chosen_count == before ? no_such(c, backend) : status;
}

static tw_status add_one(struct choice *c, const char *backend, long index) {
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->there[i].backend, backend) == 0 && c->there[i].index == index)
            return add(c, &c->there[i]);
    char id[64];
    snprintf(id, sizeof id, "%.32s:%ld", backend, index);
    return no_such(c, id);
}

static tw_status misspelt(const struct choice *c, const char *item) {
    return tw_fail(c->error, TW_INVALID,
                   "--devices %s: \"%s\" names no devices; write all, a backend, or as in cuda:0, "
                   "cuda:0-3 or cuda:0,2",
                   c->words, item);
}

/* "3" or "0-3". */
static tw_status add_range(struct choice *c, const char *backend, const char *range,
                           const char *item) {
    char *end;
    if (!isdigit((unsigned char)range[0]) || backend[0] == '\0')
        return misspelt(c, item);
    long first = strtol(range, &end, 10), last = first;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    if (*end != '\0' || last < first)
        return misspelt(c, item);
    tw_status status = TW_OK;
    for (long i = first; i <= last && status == TW_OK; i++)
        status = add_one(c, backend, i);
    return status;
}

/* An item without a backend is of the one before. */
static tw_status add_item(struct choice *c, char backend[32], const char *item) {
    const char *colon = strchr(item, ':');
    if (strcmp(item, "all") == 0)
        return add_all(c);
    if (colon == NULL && isalpha((unsigned char)item[0])) {
        snprintf(backend, 32, "%s", item);
        return add_backend(c, item);
    }
    if (colon != NULL)
        snprintf(backend, 32, "%.*s", (int)(colon - item), item);
    return add_range(c, backend, colon != NULL ? colon + 1 : item, item);
}

static tw_status add_items(struct choice *c) {
    char *copy = strdup(c->words), *rest = copy, backend[32] = "";
    if (copy == NULL)
        return tw_fail(c->error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (char *item; status == TW_OK && (item = strsep(&rest, ",")) != NULL;)
        status = add_item(c, backend, item);
    free(copy);
    return status;
}

static bool alike(const struct tw_device_info *a, const struct tw_device_info *b) {
    char one[256], other[256];
    tw_device_fingerprint(a, one);
    tw_device_fingerprint(b, other);
    return strcmp(one, other) == 0;
}

tw_status device_list_choose(struct device_list *list, const struct tw_device_info *there,
                             size_t count, const char *words, struct tw_error *error) {
    struct choice c = {.there = there, .count = count, .words = words, .error = error};
    tw_status status = add_items(&c);
    list->count = 0;
    for (int i = 0; i < c.chosen_count && status == TW_OK; i++) {
        if (c.chosen[i] == NULL)
            continue;
        const struct tw_device_info *first = c.chosen[i];
        for (int j = i; j < c.chosen_count; j++)
            if (c.chosen[j] != NULL && alike(first, c.chosen[j])) {
                list->devices[list->count++] = *c.chosen[j];
                c.chosen[j] = NULL;
            }
    }
    return status;
}

tw_status device_list_find(struct device_list *list, const char *words, struct tw_error *error) {
    struct tw_device_info *there;
    size_t count;
    tw_status status = tw_devices_list(&there, &count, NULL, error);
    if (status == TW_OK)
        status = device_list_choose(list, there, count, words, error);
    free(there);
    return status;
}

int device_list_alike(const struct device_list *list, int first) {
    int count = 1;
    while (first + count < list->count &&
           alike(&list->devices[first], &list->devices[first + count]))
        count++;
    return count;
}
