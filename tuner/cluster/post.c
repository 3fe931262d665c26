#include "tuner/cluster/post.h"

#include "tuner/json/json.h"

void post_json(struct post *post, int to, enum post_kind kind, cJSON *json) {
    char *text = json_text(json);
    if (text != NULL)
        post->send(post, to, kind, text);
    cJSON_free(text);
}

const char *post_text(const cJSON *json, const char *key, const char *fallback) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsString(value) ? value->valuestring : fallback;
}

int post_number(const cJSON *json, const char *key, int fallback) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(value) ? value->valueint : fallback;
}
