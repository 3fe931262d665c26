#include "runtime/backend/cuda/driver.h"

#include <pthread.h>

#include "runtime/backend/shared_object.h"

static struct tw_cuda_driver driver;
static tw_status driver_status;
static struct tw_error driver_error;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

static void open_driver(void) {
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    static const struct tw_symbol symbols[] = {
#define TW_CUDA_SYMBOL(field, function) {TW_SYMBOL_NAME(function), &driver.field},
        TW_CUDA_FUNCTIONS(TW_CUDA_SYMBOL)
#undef TW_CUDA_SYMBOL
    };
    static const struct tw_symbol later[] = {
#define TW_CUDA_SYMBOL(field, function) {TW_SYMBOL_NAME(function), &driver.field},
        TW_CUDA_LATER_FUNCTIONS(TW_CUDA_SYMBOL)
#undef TW_CUDA_SYMBOL
    };
    /* Without its functions first: a driver that is not there is one thing, one that does not work
     * another. */
    driver_status = tw_shared_object_open(names, NULL, 0, &driver_error);
    if (driver_status != TW_OK)
        return;
    if (tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &driver_error) !=
        TW_OK) {
        driver_status = TW_DEVICE;
        return;
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        (void)tw_shared_object_open(names, &later[i], 1, NULL);
    CUresult result = driver.init(0);
    if (result == CUDA_ERROR_NO_DEVICE)
        driver_status = tw_fail(&driver_error, TW_UNAVAILABLE, "the driver finds no GPU");
    else if (result != CUDA_SUCCESS)
        driver_status = tw_fail(&driver_error, TW_DEVICE,
                                "the driver does not start: cuInit gave error %d", (int)result);
}

tw_status tw_cuda_driver(const struct tw_cuda_driver **out, struct tw_error *error) {
    pthread_once(&driver_once, open_driver);
    *out = &driver;
    if (driver_status != TW_OK)
        return tw_fail(error, driver_status, "%s", driver_error.message);
    return TW_OK;
}

static tw_status status_of(CUresult result) {
    switch (result) {
    case CUDA_SUCCESS:
        return TW_OK;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return TW_NO_MEMORY;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
        return TW_RESOURCE;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_NOT_FOUND:
        return TW_LAUNCH;
    /* After these the context is unusable for good (CUDA driver API, CUresult). */
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        return TW_DEVICE_LOST;
    default:
        return TW_DEVICE;
    }
}

tw_status tw_cuda_check(CUresult result, const char *what, struct tw_error *error) {
    if (result == CUDA_SUCCESS)
        return TW_OK;
    const char *name = NULL, *text = NULL;
    if (driver.error_name(result, &name) != CUDA_SUCCESS || name == NULL)
        name = "unknown error";
    if (driver.error_text(result, &text) != CUDA_SUCCESS || text == NULL)
        text = "no description";
    return tw_fail(error, status_of(result), "%s: %s (%s)", what, text, name);
}
