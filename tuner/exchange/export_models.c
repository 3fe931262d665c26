#include "tuner/exchange/export_models.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/description/json.h"
#include "tuner/exchange/canonical_json.h"
#include "tuner/exchange/sound_model.h"
#include "tuner/exchange/well_formed.h"

struct export {
    struct tw_text *text;
    int64_t count;
    struct tw_error *error;
    tw_status status;
};

/* Lists of lists or objects have an item a line, so that what changes can be seen. */
static void print_member(struct tw_text *text, const cJSON *member) {
    bool in_lines = cJSON_IsArray(member) && member->child != NULL &&
                    (cJSON_IsArray(member->child) || cJSON_IsObject(member->child));
    canonical_string(text, member->string);
    tw_text_print(text, ": ");
    if (!in_lines) {
        canonical_value(text, member);
        return;
    }
    tw_text_print(text, "[");
    for (const cJSON *item = member->child; item != NULL; item = item->next) {
        tw_text_print(text, "%s\n          ", item != member->child ? "," : "");
        canonical_value(text, item);
    }
    tw_text_print(text, "\n        ]");
}

static void print_model(struct tw_text *text, const cJSON *model) {
    tw_text_print(text, "{");
    for (const cJSON *member = canonical_next(model, NULL), *last = NULL; member != NULL;
         last = member, member = canonical_next(model, last)) {
        tw_text_print(text, "%s\n        ", last != NULL ? "," : "");
        print_member(text, member);
    }
    tw_text_print(text, "\n      }");
}

static bool visit(void *context, const struct tw_db_model *stored) {
    struct export *export = context;
    struct tw_model *model;
    cJSON *json = NULL;
    char name[ROW_NAME_SIZE];
    model_name(stored, name);
    export->status = tw_model_read(&model, stored->text, name, export->error);
    if (export->status == TW_OK) {
        export->status = sound_model_words(model, export->error);
        if (export->status != TW_OK)
            tw_fail_within(export->error, export->status, "%s", name);
    }
    if (export->status == TW_OK)
        export->status = tw_json_parse(&json, stored->text, name, export->error);
    if (export->status != TW_OK) {
        tw_fail_within(export->error, export->status, "cannot export");
        tw_model_free(model);
        return false;
    }
    tw_text_print(export->text, "%s\n    {\n      \"fitted_at\": %" PRId64 ",\n      \"model\": ",
                  export->count++ > 0 ? "," : "  \"models\": [", stored->fitted_at);
    print_model(export->text, json);
    tw_text_print(export->text, "\n    }");
    cJSON_Delete(json);
    tw_model_free(model);
    return true;
}

tw_status export_models(tw_db *db, const char *kernel, struct tw_text *text, int64_t *count,
                        struct tw_error *error) {
    struct export export = {.text = text, .error = error};
    if (tw_db_model_each(db, kernel, visit, &export) != TW_DB_OK)
        export.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (export.count > 0)
        tw_text_print(text, "\n  ],\n");
    *count = export.count;
    return export.status;
}
