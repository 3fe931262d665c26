#include "runtime/description/outline.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "runtime/description/builtin.h"
#include "runtime/description/read.h"

enum { MOST_CODES = 4 };

struct part {
    atomic_bool is_read;
    size_t at, length; /* in the flat form */
    int code_count;
    struct {
        char backend[16];
        char hash[TW_HASH_SIZE];
    } codes[MOST_CODES];
};

struct tw_outline {
    pthread_mutex_t lock; /* of reading parts */
    struct part parts[];
};

void tw_outline_free(struct tw_outline *outline) {
    if (outline == NULL)
        return;
    pthread_mutex_destroy(&outline->lock);
    free(outline);
}

/* ---- Outlines ---- */

static void read_codes(struct part *part, const struct tw_json *json) {
    int count = tw_read_count(json, MOST_CODES);
    for (int i = 0; i < count; i++) {
        struct tw_json code = tw_json_at(json, i);
        strncpy(part->codes[i].backend, tw_json_key(&code), sizeof part->codes[i].backend - 1);
        strncpy(part->codes[i].hash, tw_json_string(&code), TW_HASH_SIZE - 1);
    }
    part->code_count = count;
}

static void read_part(struct tw_implementation *in, struct part *part, const struct tw_json *json) {
    struct tw_json name = tw_json_member(json, "name"), presets = tw_json_member(json, "presets");
    struct tw_json at = tw_json_member(json, "at"), length = tw_json_member(json, "length");
    struct tw_json code = tw_json_member(json, "code");
    tw_read_name(in->name, &name);
    in->presets = tw_read_list(&presets, TW_MAX_RULES, sizeof *in->presets, &in->preset_count);
    for (int i = 0; i < in->preset_count; i++) {
        struct tw_json preset = tw_json_at(&presets, i);
        strncpy(in->presets[i].name, tw_json_string(&preset), TW_NAME_SIZE - 1);
    }
    part->at = (size_t)tw_json_integer(&at);
    part->length = (size_t)tw_json_integer(&length);
    read_codes(part, &code);
}

void tw_read_outlines(struct tw_description *d, const struct tw_json *list) {
    struct tw_outline *outline =
        calloc(1, sizeof *outline + (size_t)d->implementation_count * sizeof outline->parts[0]);
    if (outline == NULL) {
        tw_json_no_memory(list);
        return;
    }
    pthread_mutex_init(&outline->lock, NULL);
    d->outline = outline;
    for (int i = 0; i < d->implementation_count; i++) {
        struct tw_json json = tw_json_at(list, i);
        read_part(&d->implementations[i], &outline->parts[i], &json);
    }
}

/* ---- Their parts ---- */

/* Names stay as they are, for others look at them at any time: what is read is what lies between an
 * implementation's name and its presets, and the values of these. */
static void take_over(struct tw_implementation *to, const struct tw_implementation *from) {
    const size_t begin = offsetof(struct tw_implementation, summary),
                 end = offsetof(struct tw_implementation, preset_count);
    memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    for (int i = 0; i < to->preset_count; i++)
        memcpy(to->presets[i].values, from->presets[i].values, sizeof to->presets[i].values);
    free(from->presets);
}

static tw_status read_implementation(const struct tw_description *d, int index,
                                     struct tw_error *error) {
    const struct part *part = &d->outline->parts[index];
    struct tw_implementation *read = calloc(1, sizeof *read);
    cJSON *json = cJSON_ParseWithLength(d->text + part->at, part->length);
    struct tw_json_context context = {.origin = d->origin, .error = error};
    const struct tw_json root = tw_json_root(&context, json);
    if (read == NULL || json == NULL)
        tw_json_no_memory(&root);
    else
        tw_read_implementation(d, read, &root);
    if (context.status == TW_OK)
        take_over(&d->implementations[index], read);
    else if (read != NULL)
        tw_implementation_free(read);
    free(read);
    cJSON_Delete(json);
    return context.status;
}

tw_status tw_description_need(const struct tw_description *d, int implementation,
                              struct tw_error *error) {
    if (d->outline == NULL)
        return TW_OK;
    struct part *part = &d->outline->parts[implementation];
    if (atomic_load_explicit(&part->is_read, memory_order_acquire))
        return TW_OK;
    tw_status status = TW_OK;
    pthread_mutex_lock(&d->outline->lock);
    if (!atomic_load_explicit(&part->is_read, memory_order_relaxed)) {
        status = read_implementation(d, implementation, error);
        atomic_store_explicit(&part->is_read, status == TW_OK, memory_order_release);
    }
    pthread_mutex_unlock(&d->outline->lock);
    return status;
}

const char *tw_description_code(const struct tw_description *d, int implementation,
                                const char *backend) {
    if (d->outline == NULL)
        return NULL;
    const struct part *part = &d->outline->parts[implementation];
    for (int i = 0; i < part->code_count; i++)
        if (strcmp(part->codes[i].backend, backend) == 0)
            return part->codes[i].hash;
    return NULL;
}
