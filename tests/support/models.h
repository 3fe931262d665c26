/* A small model of the kernel of scale.h. */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "runtime/predict/model.h"
#include "tests/support/scale.h"

/* Two trees: on BLOCK_X, and on the words of ORDER. */
static const char text[] =
    "{\"format\": \"tilewise-model\", \"version\": 1, \"kernel\": \"scale\", \"cache\": \"cold\","
    " \"device\": \"d\", \"device_name\": \"D\", \"backend\": \"cuda\", \"architecture\": "
    "\"sm_90\","
    " \"units\": 132, \"attributes\": [\"\"], \"uncertainty\": 0.1, \"base\": 0.5,"
    " \"features\": [{\"name\": \"geometry.blocks\"}, {\"name\": \"dimension.M\"},"
    " {\"name\": \"attribute.dtype\", \"words\": [\"f64\", \"f32\"]},"
    " {\"name\": \"implementation\", \"words\": [\"direct\"]}, {\"name\": \"parameter.BLOCK_X\"},"
    " {\"name\": \"parameter.ORDER\", \"words\": [\"columns\", \"rows\"]},"
    " {\"name\": \"parameter.NONE\"}, {\"name\": \"width.A\"}, {\"name\": \"pieces.N\"},"
    " {\"name\": \"filled.N\"}, {\"name\": \"pieces.Q\"}, {\"name\": \"geometry.last_wave\"},"
    " {\"name\": \"pitch.A\"}],"
    " \"trees\": [[[4,64,2],[-0.25],[4,100,4],[0.5],[1]], [[5,0.5,2],[0.125],[0]]],"
    " \"configurations\": [{\"implementation\": \"direct\", \"configuration\": \"{}\","
    " \"problem\": \"M=8,N=100\", \"time_us\": 2, \"code\": \"c\", \"source\": \"s\","
    " \"judge\": \"j\"}]}";

SUPPORT struct tw_model *read_model(const char *json) {
    struct tw_model *model;
    struct tw_error error;
    must(tw_model_read(&model, json, "m.json", &error), error);
    return model;
}

SUPPORT struct tw_model *read_nodes(const char *json) {
    struct tw_model *model;
    struct tw_error error;
    must(tw_model_read_nodes(&model, json, "m.json", &error), error);
    return model;
}

#endif
