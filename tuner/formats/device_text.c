#include "tuner/formats/device_text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "tuner/exchange/canonical_json.h"

static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
#define NUMBER(name, member)                                                                       \
    { name, offsetof(struct tw_device_info, member) }
    NUMBER("bandwidth", bandwidth),
    NUMBER("cache_bytes", cache_bytes),
    NUMBER("clock_khz", clock_khz),
    NUMBER("compute_units", compute_units),
    NUMBER("max_block_x", max_block[0]),
    NUMBER("max_block_y", max_block[1]),
    NUMBER("max_block_z", max_block[2]),
    NUMBER("max_cluster", max_cluster),
    NUMBER("max_grid_x", max_grid[0]),
    NUMBER("max_grid_y", max_grid[1]),
    NUMBER("max_grid_z", max_grid[2]),
    NUMBER("max_registers", max_registers),
    NUMBER("max_shared", max_shared),
    NUMBER("max_threads", max_threads),
    NUMBER("memory_bytes", memory_bytes),
    NUMBER("reserved_shared", reserved_shared),
    NUMBER("unit_blocks", unit_blocks),
    NUMBER("unit_registers", unit_registers),
    NUMBER("unit_shared", unit_shared),
    NUMBER("unit_threads", unit_threads),
    NUMBER("warp", warp),
#undef NUMBER
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static int64_t *at(struct tw_device_info *device, int i) {
    return (int64_t *)((char *)device + numbers[i].offset);
}

void device_text_print(struct tw_text *text, const struct tw_device_info *device) {
    struct tw_device_info copy = *device;
    tw_text_print(text, "{\"arch\": %d, \"architecture\": ", device->arch);
    canonical_string(text, device->architecture);
    tw_text_print(text, ", \"backend\": ");
    canonical_string(text, device->backend);
    tw_text_print(text, ", \"is_cpu\": %s, \"has_fp64\": %s, \"has_tensor_maps\": %s",
                  device->is_cpu ? "true" : "false", device->has_fp64 ? "true" : "false",
                  device->has_tensor_maps ? "true" : "false");
    for (int i = 0; i < NUMBERS; i++)
        tw_text_print(text, ", \"%s\": %" PRId64, numbers[i].name, *at(&copy, i));
    tw_text_print(text, "}");
}

static void read_word(const struct tw_json *json, const char *key, char *word, size_t size) {
    struct tw_json value = tw_json_member(json, key);
    const char *text = tw_json_string(&value);
    if (snprintf(word, size, "%s", text) >= (int)size)
        tw_json_fail(&value, "too long");
}

static bool read_switch(const struct tw_json *json, const char *key) {
    struct tw_json value = tw_json_optional(json, key);
    return tw_json_boolean(&value, false);
}

void device_text_read(const struct tw_json *json, struct tw_device_info *device) {
    *device = (struct tw_device_info){.has_fp64 = read_switch(json, "has_fp64"),
                                      .has_tensor_maps = read_switch(json, "has_tensor_maps"),
                                      .is_cpu = read_switch(json, "is_cpu")};
    struct tw_json arch = tw_json_member(json, "arch");
    int64_t number = tw_json_integer(&arch);
    if (number < 0 || number > 100000)
        tw_json_fail(&arch, "out of range");
    else
        device->arch = (int)number;
    read_word(json, "architecture", device->architecture, sizeof device->architecture);
    read_word(json, "backend", device->backend, sizeof device->backend);
    for (int i = 0; i < NUMBERS; i++) {
        struct tw_json value = tw_json_member(json, numbers[i].name);
        *at(device, i) = tw_json_integer(&value);
        if (*at(device, i) < 0)
            tw_json_fail(&value, "expected no less than 0");
    }
}
