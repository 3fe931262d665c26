#include "tuner/page/values.h"

#include "tuner/page/html.h"

static void print(const cJSON *value, struct tw_text *out) {
    char *text = cJSON_PrintUnformatted(value);
    tw_text_print(out, "<span class=value>");
    html_text(out, value->string);
    tw_text_print(out, " ");
    html_element(out, "b", cJSON_IsString(value) ? value->valuestring : text != NULL ? text : "?");
    tw_text_print(out, "</span> ");
    cJSON_free(text);
}

void values_print(const cJSON *configuration, const cJSON *beside, struct tw_text *out) {
    const cJSON *value;
    cJSON_ArrayForEach(value, configuration) {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(beside, value->string);
        if (other == NULL || !cJSON_Compare(value, other, true))
            print(value, out);
    }
}
