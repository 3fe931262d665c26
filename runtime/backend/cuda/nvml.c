#include "runtime/backend/cuda/nvml.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "runtime/backend/shared_object.h"

/* The toolkit does not always come with nvml.h, so the few calls are declared here, as the NVML API
 * reference gives them. All return 0 for success. */
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_TEMPERATURE_GPU = 0 };
enum { NVML_COMPUTEMODE_PROHIBITED = 2, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS = 3 };
enum { NVML_INSUFFICIENT_SIZE = 7 };

/* nvmlProcessInfo_v2_t */
struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

static struct {
    int (*init)(void);
    int (*by_bus_id)(const char *bus_id, void **device);
    int (*clock)(void *device, int type, unsigned *mhz);
    int (*clock_limit)(void *device, int type, unsigned *mhz);
    int (*power)(void *device, unsigned *milliwatts);
    int (*temperature)(void *device, int sensor, unsigned *celsius);
    /* What older or newer libraries may lack: NULL there. */
    int (*power_limit)(void *device, unsigned *milliwatts);
    int (*slowed_by)(void *device, unsigned long long *reasons);
    int (*persistence)(void *device, int *on);
    int (*mode)(void *device, int *mode);
    int (*processes)(void *device, unsigned *count, struct process *processes);
} nvml;
static tw_status nvml_status;
static struct tw_error nvml_error;
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
    static const struct tw_symbol others[] = {
        {"nvmlDeviceGetEnforcedPowerLimit", &nvml.power_limit},
        {"nvmlDeviceGetCurrentClocksThrottleReasons", &nvml.slowed_by},
        {"nvmlDeviceGetCurrentClocksEventReasons", &nvml.slowed_by},
        {"nvmlDeviceGetPersistenceMode", &nvml.persistence},
        {"nvmlDeviceGetComputeMode", &nvml.mode},
        {"nvmlDeviceGetComputeRunningProcesses_v3", &nvml.processes},
    };
    nvml_status =
        tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &nvml_error);
    if (nvml_status != TW_OK)
        return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        (void)tw_shared_object_open(names, &others[i], 1, NULL);
    int result = nvml.init();
    if (result != 0)
        nvml_status = tw_fail(&nvml_error, TW_UNAVAILABLE, "nvmlInit gave error %d", result);
}

static void add(struct tw_text *json, const char *name, double value) {
    tw_text_print(json, "%s\"%s\":%g", json->data[json->length - 1] == '{' ? "" : ",", name, value);
}

void tw_nvml_conditions(const char *bus_id, struct tw_text *json) {
    pthread_once(&nvml_once, open_nvml);
    tw_text_print(json, "{");
    void *device;
    if (nvml_status == TW_OK && !json->failed && nvml.by_bus_id(bus_id, &device) == 0) {
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

/* nvmlClocksThrottleReasons, but for those that say that a device is idle or as it was set. */
static void name_reasons(unsigned long long reasons, char *text, size_t size) {
    static const struct {
        unsigned long long bit;
        const char *name;
    } names[] = {{0x04, "power cap"},
                 {0x08, "hardware slowdown"},
                 {0x10, "clocks in step with other devices"},
                 {0x20, "temperature (software)"},
                 {0x40, "temperature (hardware)"},
                 {0x80, "power brake"}};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names && length < size; i++)
        if ((reasons & names[i].bit) != 0)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       names[i].name);
}

/* Those besides this process, which has the device open. Within a container its number there may
 * be another. */
static int count_others(void *device) {
    enum { MOST = 256 };
    struct process processes[MOST];
    unsigned count = MOST;
    if (nvml.processes == NULL)
        return -1;
    int result = nvml.processes(device, &count, processes);
    if (result != 0 && result != NVML_INSUFFICIENT_SIZE)
        return -1;
    return count > 0 ? (int)count - 1 : 0;
}

void tw_nvml_health(const char *bus_id, struct tw_device_health *health) {
    void *device;
    unsigned value = 0;
    unsigned long long reasons;
    int number;
    *health = (struct tw_device_health){.clock_mhz = -1,
                                        .clock_max_mhz = -1,
                                        .memory_clock_mhz = -1,
                                        .temperature_c = -1,
                                        .power_w = -1,
                                        .power_limit_w = -1,
                                        .persistence = -1,
                                        .mode = -1,
                                        .other_processes = -1};
    pthread_once(&nvml_once, open_nvml);
    if (nvml_status != TW_OK) {
        snprintf(health->unknown, sizeof health->unknown, "%.150s", nvml_error.message);
        return;
    }
    if (nvml.by_bus_id(bus_id, &device) != 0) {
        snprintf(health->unknown, sizeof health->unknown, "NVML does not know the device %s",
                 bus_id);
        return;
    }
    if (nvml.clock(device, NVML_CLOCK_SM, &value) == 0)
        health->clock_mhz = value;
    if (nvml.clock_limit(device, NVML_CLOCK_SM, &value) == 0)
        health->clock_max_mhz = value;
    if (nvml.clock(device, NVML_CLOCK_MEM, &value) == 0)
        health->memory_clock_mhz = value;
    if (nvml.temperature(device, NVML_TEMPERATURE_GPU, &value) == 0)
        health->temperature_c = value;
    if (nvml.power(device, &value) == 0)
        health->power_w = value / 1000.0;
    if (nvml.power_limit != NULL && nvml.power_limit(device, &value) == 0)
        health->power_limit_w = value / 1000.0;
    health->has_slowed_by = nvml.slowed_by != NULL && nvml.slowed_by(device, &reasons) == 0;
    if (health->has_slowed_by)
        name_reasons(reasons, health->slowed_by, sizeof health->slowed_by);
    if (nvml.persistence != NULL && nvml.persistence(device, &number) == 0)
        health->persistence = number != 0;
    if (nvml.mode != NULL && nvml.mode(device, &number) == 0)
        health->mode = number == NVML_COMPUTEMODE_PROHIBITED          ? TW_MODE_PROHIBITED
                       : number == NVML_COMPUTEMODE_EXCLUSIVE_PROCESS ? TW_MODE_EXCLUSIVE
                                                                      : TW_MODE_SHARED;
    health->other_processes = count_others(device);
}
