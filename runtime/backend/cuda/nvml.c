#include "runtime/backend/cuda/nvml.h"

#include <pthread.h>
#include <stdbool.h>

#include "runtime/backend/shared_object.h"

/* The toolkit does not always come with nvml.h, so the few calls are declared here, as the NVML API
 * reference gives them. All return 0 for success. */
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_TEMPERATURE_GPU = 0 };

static struct {
    int (*init)(void);
    int (*by_bus_id)(const char *bus_id, void **device);
    int (*clock)(void *device, int type, unsigned *mhz);
    int (*clock_limit)(void *device, int type, unsigned *mhz);
    int (*power)(void *device, unsigned *milliwatts);
    int (*temperature)(void *device, int sensor, unsigned *celsius);
} nvml;
static bool nvml_works;
static pthread_once_t nvml_once = PTHREAD_ONCE_INIT;

static void open_nvml(void) {
    static const char *const names[] = {"libnvidia-ml.so.1", NULL};
    static const struct tw_symbol symbols[] = {
        {"nvmlInit_v2", &nvml.init},
        {"nvmlDeviceGetHandleByPciBusId_v2", &nvml.by_bus_id},
        {"nvmlDeviceGetClockInfo", &nvml.clock},
        {"nvmlDeviceGetMaxClockInfo", &nvml.clock_limit},
        {"nvmlDeviceGetPowerUsage", &nvml.power},
        {"nvmlDeviceGetTemperature", &nvml.temperature},
    };
    nvml_works =
        tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, NULL) == TW_OK &&
        nvml.init() == 0;
}

static void add(struct tw_text *json, const char *name, double value) {
    tw_text_print(json, "%s\"%s\":%g", json->data[json->length - 1] == '{' ? "" : ",", name, value);
}

void tw_nvml_conditions(const char *bus_id, struct tw_text *json) {
    pthread_once(&nvml_once, open_nvml);
    tw_text_print(json, "{");
    void *device;
    if (nvml_works && !json->failed && nvml.by_bus_id(bus_id, &device) == 0) {
        unsigned value = 0;
        if (nvml.clock(device, NVML_CLOCK_SM, &value) == 0)
            add(json, "sm_clock_mhz", value);
        if (nvml.clock_limit(device, NVML_CLOCK_SM, &value) == 0)
            add(json, "sm_clock_max_mhz", value);
        if (nvml.clock(device, NVML_CLOCK_MEM, &value) == 0)
            add(json, "memory_clock_mhz", value);
        if (nvml.power(device, &value) == 0)
            add(json, "power_w", value / 1000.0);
        if (nvml.temperature(device, NVML_TEMPERATURE_GPU, &value) == 0)
            add(json, "temperature_c", value);
    }
    tw_text_print(json, "}");
}
