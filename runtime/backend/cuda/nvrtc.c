#include "runtime/backend/cuda/nvrtc.h"

#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/cuda/entry.h"
#include "runtime/backend/shared_object.h"

#define NVRTC_FUNCTIONS(X)                                                                         \
    X(version, nvrtcVersion)                                                                       \
    X(error_text, nvrtcGetErrorString)                                                             \
    X(create, nvrtcCreateProgram)                                                                  \
    X(destroy, nvrtcDestroyProgram)                                                                \
    X(compile, nvrtcCompileProgram)                                                                \
    X(log_size, nvrtcGetProgramLogSize)                                                            \
    X(log, nvrtcGetProgramLog)                                                                     \
    X(ptx_size, nvrtcGetPTXSize)                                                                   \
    X(ptx, nvrtcGetPTX)                                                                            \
    X(cubin_size, nvrtcGetCUBINSize)                                                               \
    X(cubin, nvrtcGetCUBIN)

static struct {
#define NVRTC_FIELD(field, function) __typeof__(function) *field;
    NVRTC_FUNCTIONS(NVRTC_FIELD)
#undef NVRTC_FIELD
} nvrtc;
static tw_status nvrtc_status;
static struct tw_error nvrtc_error;
static pthread_once_t nvrtc_once = PTHREAD_ONCE_INIT;

static void open_nvrtc(void) {
    /* The toolkit's installer does not always tell the loader of its folder. */
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so", NULL};
    static const struct tw_symbol symbols[] = {
#define NVRTC_SYMBOL(field, function) {TW_SYMBOL_NAME(function), &nvrtc.field},
        NVRTC_FUNCTIONS(NVRTC_SYMBOL)
#undef NVRTC_SYMBOL
    };
    nvrtc_status =
        tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &nvrtc_error);
}

static tw_status ready(struct tw_error *error) {
    pthread_once(&nvrtc_once, open_nvrtc);
    if (nvrtc_status != TW_OK)
        return tw_fail(error, nvrtc_status, "%s", nvrtc_error.message);
    return TW_OK;
}

static tw_status check(nvrtcResult result, const char *what, struct tw_error *error) {
    if (result == NVRTC_SUCCESS)
        return TW_OK;
    return tw_fail(error, TW_COMPILE, "%s: %s", what, nvrtc.error_text(result));
}

tw_status tw_nvrtc_version(char out[96], struct tw_error *error) {
    tw_status status = ready(error);
    if (status != TW_OK)
        return status;
    int major = 0, minor = 0;
    status = check(nvrtc.version(&major, &minor), "nvrtcVersion", error);
    if (status == TW_OK)
        snprintf(out, 96, "NVRTC %d.%d", major, minor);
    return status;
}

static void read_log(nvrtcProgram program, struct tw_binary *binary) {
    size_t size = 0;
    if (nvrtc.log_size(program, &size) != NVRTC_SUCCESS || size <= 1)
        return;
    char *log = malloc(size);
    if (log != NULL && nvrtc.log(program, log) == NVRTC_SUCCESS)
        tw_text_add(&binary->log, log, size - 1);
    free(log);
}

/* The number that ends right before `at`, a place in `text`; 0 when there is no such place. */
static long number_before(const char *at, const char *text) {
    while (at != NULL && at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at != NULL ? strtol(at, NULL, 10) : 0;
}

/* ptxas -v writes "16 bytes stack frame, 8 bytes spill stores" and "Used 96 registers, 512 bytes
 * smem" for each function; there is one. */
static void read_resources(struct tw_binary *binary) {
    const char *log = binary->log.data != NULL ? binary->log.data : "";
    const char *used = strstr(log, "Used ");
    const char *spill = strstr(log, " bytes spill stores");
    const char *local = strstr(log, " bytes stack frame");
    const char *shared = strstr(log, " bytes smem"); /* not said where there is none */
    if (used == NULL)
        return;
    binary->has_resources = sscanf(used, "Used %ld registers", &binary->registers) == 1;
    binary->spill_bytes = number_before(spill, log);
    binary->local_bytes = number_before(local, log);
    binary->static_shared = number_before(shared, log);
}

/* What this NVRTC can be told, as it is not of every version. */
struct abilities {
    /* From 12.9 on it keeps what it compiled on disk where there is a driver, and a hit has no log,
     * which is where registers and spills are. The runtime's own cache keeps both. */
    bool no_cache;
    /* From 12.4 on it can do without what few kernels name, textures and launches from kernels,
     * which it would read anew for every source. The machine code is the same. */
    bool minimal;
};

static tw_status abilities_of(struct abilities *abilities, struct tw_error *error) {
    int major = 0, minor = 0;
    tw_status status = check(nvrtc.version(&major, &minor), "nvrtcVersion", error);
    abilities->no_cache = major > 12 || (major == 12 && minor >= 9);
    abilities->minimal = major > 12 || (major == 12 && minor >= 4);
    return status;
}

static tw_status check_expected(nvrtcProgram program, const struct tw_compile_request *request,
                                struct tw_error *error) {
    size_t size = 0;
    tw_status status = check(nvrtc.ptx_size(program, &size), "nvrtcGetPTXSize", error);
    char *ptx = status == TW_OK ? malloc(size + 1) : NULL;
    if (status == TW_OK && ptx == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory for PTX");
    if (status == TW_OK)
        status = check(nvrtc.ptx(program, ptx), "nvrtcGetPTX", error);
    if (status == TW_OK) {
        ptx[size] = '\0';
        status = tw_ptx_check(ptx, request->function, request->expected, error);
    }
    free(ptx);
    return status;
}

/* *program and *result are of this try; what the compiler said is in the binary's log. */
static tw_status try_to_compile(const struct tw_device_info *info,
                                const struct tw_compile_request *request,
                                const struct abilities *abilities, struct tw_binary *binary,
                                nvrtcProgram *program, nvrtcResult *result,
                                struct tw_error *error) {
    /* From Hopper on, the "a" targets have the whole instruction set (PTX ISA, .target). */
    char architecture[48];
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%s", info->arch,
             info->arch >= 90 ? "a" : "");
    const char *options[5] = {architecture, "--std=c++17", "--ptxas-options=-v"};
    int count = 3;
    if (abilities->no_cache)
        options[count++] = "--no-cache";
    if (abilities->minimal)
        options[count++] = "--minimal";
    tw_status status = check(nvrtc.create(program, request->source, request->name, 0, NULL, NULL),
                             "nvrtcCreateProgram", error);
    if (status != TW_OK)
        return status;
    *result = nvrtc.compile(*program, count, options);
    read_log(*program, binary);
    return TW_OK;
}

/* The source did not get as far as to machine code: it may name what was left out. */
static bool may_lack(nvrtcResult result, const struct tw_binary *binary) {
    const char *log = binary->log.data != NULL ? binary->log.data : "";
    return result == NVRTC_ERROR_COMPILATION && strstr(log, "ptxas") == NULL;
}

tw_status tw_nvrtc_compile(const struct tw_device_info *info,
                           const struct tw_compile_request *request, struct tw_binary *binary,
                           struct tw_error *error) {
    *binary = (struct tw_binary){0};
    struct abilities abilities = {0};
    nvrtcProgram program = NULL;
    nvrtcResult result = NVRTC_SUCCESS;
    tw_status status = ready(error);
    if (status == TW_OK)
        status = abilities_of(&abilities, error);
    if (status == TW_OK)
        status = try_to_compile(info, request, &abilities, binary, &program, &result, error);
    if (status == TW_OK && abilities.minimal && may_lack(result, binary)) {
        nvrtc.destroy(&program);
        tw_binary_free(binary);
        abilities.minimal = false;
        status = try_to_compile(info, request, &abilities, binary, &program, &result, error);
    }
    if (status != TW_OK)
        return status;
    read_resources(binary);
    status = check(result, "nvrtcCompileProgram", error);
    if (status == TW_OK && request->expected != NULL)
        status = check_expected(program, request, error);
    if (status == TW_OK)
        status = check(nvrtc.cubin_size(program, &binary->size), "nvrtcGetCUBINSize", error);
    if (status == TW_OK) {
        binary->bytes = malloc(binary->size);
        status = binary->bytes == NULL
                     ? tw_fail(error, TW_NO_MEMORY, "out of memory for a binary")
                     : check(nvrtc.cubin(program, (char *)binary->bytes), "nvrtcGetCUBIN", error);
    }
    nvrtc.destroy(&program);
    return status;
}
