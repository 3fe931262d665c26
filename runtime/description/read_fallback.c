/* Reads `fallback`: which preset to use for a problem that nothing was stored for. */
#include "runtime/description/read.h"

#include <string.h>

void tw_read_fallback(struct tw_description *d, const struct tw_json *root) {
    static const char *const keys[] = {"when", "preset", NULL};
    struct tw_json list = tw_json_optional(root, "fallback");
    tw_json_expect_array(&list);
    int count = tw_read_count(&list, TW_MAX_FALLBACKS);
    for (int i = 0; i < count && root->context->status == TW_OK; i++) {
        struct tw_fallback *fallback = &d->fallbacks[i];
        struct tw_json rule = tw_json_at(&list, i);
        tw_json_only_keys(&rule, keys);
        struct tw_json when = tw_json_member(&rule, "when");
        struct tw_json preset = tw_json_member(&rule, "preset");
        d->fallback_count++;
        fallback->when = tw_read_expression(&d->symbols, &when);
        if (!tw_description_preset(d, tw_json_string(&preset), &fallback->implementation,
                                   &fallback->preset))
            tw_json_fail(&preset, "there is no preset \"%.40s\"", tw_json_string(&preset));
    }
}
