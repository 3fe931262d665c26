/* Reads the problem of a key as databases have it, "M=64,N=32;dtype=f32", and an H200 on paper. */
#ifndef TESTS_SUPPORT_SUBJECTS_H
#define TESTS_SUPPORT_SUBJECTS_H

#include "runtime/description/problem.h"
#include "tests/support/scale.h"

SUPPORT struct tw_device_info paper_h200(void) {
    struct tw_device_info device = paper_gpu;
    strcpy(device.name, "NVIDIA H200");
    device.cache_bytes = 62914560;
    device.memory_bytes = 150109880320;
    device.clock_khz = 1980000;
    device.bandwidth = 4814304000000;
    device.unit_threads = 2048;
    device.unit_blocks = 32;
    device.unit_registers = 65536;
    device.unit_shared = 233472;
    device.reserved_shared = 1024;
    return device;
}

/* Sizes are in the kernel's order; attributes that the key does not name keep their defaults. */
SUPPORT struct tw_problem problem_of_key(const struct tw_description *d, const char *key) {
    struct tw_problem problem;
    struct tw_error error;
    char shape[256] = "", copy[512], *rest = copy;
    snprintf(copy, sizeof copy, "%s", key);
    char *attributes = strchr(copy, ';');
    if (attributes != NULL)
        *attributes++ = '\0';
    for (char *part = strtok_r(rest, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest))
        sprintf(shape + strlen(shape), "%s%s", shape[0] != '\0' ? "x" : "", strchr(part, '=') + 1);
    must(tw_problem_parse(&problem, d, shape, &error), error);
    rest = attributes;
    for (char *part = attributes != NULL ? strtok_r(rest, ",", &rest) : NULL; part != NULL;
         part = strtok_r(NULL, ",", &rest)) {
        char *word = strchr(part, '=');
        *word++ = '\0';
        must(tw_problem_set(&problem, part, word, &error), error);
    }
    return problem;
}

#endif
