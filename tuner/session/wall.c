#include "tuner/session/wall.h"

void wall_begin(struct wall *wall, double now_s) {
    *wall = (struct wall){.began_s = now_s, .since_s = now_s};
}

static void pass(struct wall *wall, double now_s) {
    double passed = now_s - wall->since_s;
    wall->seconds[wall->state] += passed;
    wall->busy_s += wall->busy * passed;
    wall->since_s = now_s;
}

void wall_enter(struct wall *wall, double now_s, enum wall_state state, double busy) {
    pass(wall, now_s);
    wall->state = state;
    wall->busy = busy;
}

void wall_tell(struct wall *wall, double verify_s, double measure_s) {
    wall->verify_s += verify_s;
    wall->measure_s += measure_s;
}

struct wall_parts wall_parts(const struct wall *wall, double now_s) {
    struct wall now = *wall;
    pass(&now, now_s);
    /* Workers of several devices tell of the same moments: then both are in proportion. */
    double running = now.seconds[WALL_RUNNING], told = now.verify_s + now.measure_s;
    double scale = told > running ? running / told : 1;
    struct wall_parts parts = {.compiling = now.seconds[WALL_COMPILING],
                               .verifying = now.verify_s * scale,
                               .measuring = now.measure_s * scale,
                               .playoff = now.seconds[WALL_PLAYOFF],
                               .rest = now.seconds[WALL_REST],
                               .total = now_s - now.began_s};
    parts.starting = now.seconds[WALL_STARTING];
    parts.waiting = parts.starting + running - parts.verifying - parts.measuring;
    parts.busy = parts.total > 0 ? now.busy_s / parts.total : 0;
    return parts;
}

cJSON *wall_json(const struct wall_parts *parts) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "compiling", parts->compiling);
    cJSON_AddNumberToObject(json, "waiting", parts->waiting);
    cJSON_AddNumberToObject(json, "starting", parts->starting);
    cJSON_AddNumberToObject(json, "verifying", parts->verifying);
    cJSON_AddNumberToObject(json, "measuring", parts->measuring);
    cJSON_AddNumberToObject(json, "playoff", parts->playoff);
    cJSON_AddNumberToObject(json, "rest", parts->rest);
    cJSON_AddNumberToObject(json, "total", parts->total);
    cJSON_AddNumberToObject(json, "device_busy", parts->busy);
    return json;
}
