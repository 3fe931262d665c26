/* Reads `ladder`: presets in the order of the classic optimisations, and what each step shows. */
#include "runtime/description/read.h"

#include <string.h>

void tw_read_ladder(struct tw_description *d, const struct tw_json *root) {
    static const char *const keys[] = {"kernel", "preset", "shows", NULL};
    struct tw_json list = tw_json_optional(root, "ladder");
    tw_json_expect_array(&list);
    int count = tw_read_count(&list, TW_MAX_RUNGS);
    for (int i = 0; i < count && root->context->status == TW_OK; i++) {
        struct tw_rung *rung = &d->rungs[i];
        struct tw_json json = tw_json_at(&list, i);
        tw_json_only_keys(&json, keys);
        struct tw_json kernel = tw_json_optional(&json, "kernel");
        struct tw_json preset = tw_json_member(&json, "preset");
        struct tw_json shows = tw_json_member(&json, "shows");
        d->rung_count++;
        if (kernel.item != NULL)
            tw_read_name(rung->kernel, &kernel);
        strncpy(rung->preset, tw_json_string(&preset), TW_NAME_SIZE - 1);
        rung->shows = tw_read_text(&shows);
        int implementation;
        const struct tw_preset *found;
        /* Another kernel's presets are looked up when the ladder is climbed. */
        if (kernel.item == NULL && !tw_description_preset(d, rung->preset, &implementation, &found))
            tw_json_fail(&preset, "there is no preset \"%.40s\"", rung->preset);
    }
}
