/* What a backend can do. One file per backend implements this table; everything else in Tilewise
 * reaches devices and compilers through it.
 *
 * Libraries (libcuda, libnvrtc, libOpenCL) are opened at run time, so a backend that is compiled in
 * may still be unavailable on this machine: then its calls fail with TW_UNAVAILABLE and say why.
 *
 * A `tw_device` belongs to one thread at a time, unless it was attached. */
#ifndef TW_BACKEND_BACKEND_H
#define TW_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/backend/expected.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"
#include "runtime/description/tensor_types.h"

/* What is known of a device without opening it for work. */
struct tw_device_info {
    char id[24];      /* "cuda:0": the backend's name and its index there */
    char backend[12]; /* "cuda" */
    int index;
    char name[128];
    char vendor[64];
    char architecture[64]; /* "sm_90"; on OpenCL the device version */
    int arch;              /* 90 for sm_90; 0 where there is none */
    bool is_cpu;
    int64_t compute_units;
    int64_t warp;
    int64_t max_threads; /* a block */
    int64_t max_block[3];
    int64_t max_grid[3];
    int64_t max_shared;    /* bytes a block may use, opt-in included */
    int64_t max_registers; /* 32-bit registers a block may use; 0: unknown */
    int64_t cache_bytes;   /* last-level cache; 0: unknown */
    int64_t memory_bytes;
    bool has_fp64;
    int64_t max_cluster;  /* blocks that a launch may group; 1: the device has no clusters */
    bool has_tensor_maps; /* copies by a tensor map */
    /* What one compute unit has for all blocks that are active on it; 0: unknown. */
    int64_t unit_threads;
    int64_t unit_blocks;
    int64_t unit_registers;
    int64_t unit_shared;     /* bytes */
    int64_t reserved_shared; /* bytes of it that the system takes for each block */
    int64_t clock_khz;       /* the highest; 0: unknown */
    int64_t bandwidth;       /* of the memory, bytes a second; 0: unknown */
    char driver[96];         /* version of the driver or platform */
    char compiler[96];       /* "NVRTC 13.0" */
    char bus[32];            /* where it is plugged in, "0000:1b:00.0"; "": nobody says */
};

struct tw_compile_request {
    const char *source; /* NUL-terminated, prelude and all */
    const char *name;   /* for messages */
    const char *function;
    /* A log of a success with one of these in it makes the binary of no use, ended by NULL; may be
     * NULL. */
    const char *const *disqualified_by;
    /* The binary is loaded on this machine and then thrown away: where the driver makes the machine
     * code only at the first launch, it may be no more than the source, checked. */
    bool passing;
    /* Known to compile, and nobody reads its log: where loading it compiles it anyway, that may be
     * the only time. */
    bool trusted;
    /* What the launch will give the kernel: a compile whose kernel takes something else is
     * TW_BAD_DESCRIPTION, with the mistake. NULL: nobody knows. */
    const struct tw_expected *expected;
};

/* What a compiler made. Free with tw_binary_free. */
struct tw_binary {
    unsigned char *bytes;
    size_t size;
    struct tw_text log;    /* the compiler's messages, errors or not */
    bool has_resources;    /* the following are known */
    int64_t registers;     /* a thread */
    int64_t spill_bytes;   /* stores, a thread */
    int64_t local_bytes;   /* a thread's own memory, for spills and for arrays */
    int64_t static_shared; /* bytes a block */
};

void tw_binary_free(struct tw_binary *binary);
/* After a compile that failed: makes the line of the log that a user should see first, the first
 * that says "error", the error's message. Leaves the error as it is when the log has none. */
void tw_binary_explain(const struct tw_binary *binary, struct tw_error *error);

struct tw_device;
struct tw_module; /* a loaded binary with one kernel in it */
struct tw_graph;  /* launches that the device is given at once */

/* Device memory, or a part of it. Views share the allocation that they were cut from. */
struct tw_memory {
    uint64_t address; /* the backend's own */
    uint64_t offset;
    uint64_t bytes;
};

/* How a kernel's copy engine sees memory: up to five dimensions, the contiguous one first. What is
 * outside reads as zero. */
struct tw_tensor {
    enum tw_tensor_type type;
    int rank;
    uint64_t dims[TW_MAX_RANK];        /* elements */
    uint64_t strides[TW_MAX_RANK - 1]; /* bytes, of all dimensions but the first */
    uint32_t box[TW_MAX_RANK];         /* elements that one copy takes */
    int swizzle;                       /* bytes: 0, 32, 64 or 128 */
    uint64_t offset;                   /* bytes from the memory's beginning */
    /* In im2col mode (1) a copy takes box[0] channels, the first dimension, of each of box[1]
     * pixels, all others but the last, which are images. Pixels are `steps` apart within a window,
     * which begins `lower` after an image's beginning and ends `upper` after its end. Otherwise 0,
     * as all of these. */
    int im2col;
    int32_t lower[TW_MAX_RANK - 2], upper[TW_MAX_RANK - 2];
    uint32_t steps[TW_MAX_RANK - 2];
};

enum tw_value_kind { TW_VALUE_MEMORY, TW_VALUE_BYTES, TW_VALUE_TENSOR_MAP };

struct tw_value {
    enum tw_value_kind kind;
    struct tw_memory memory;
    unsigned char bytes[8];
    size_t size;                    /* of bytes */
    const struct tw_tensor *tensor; /* what a tensor map of `memory` shows; must outlive the
                                       launch's queueing */
};

struct tw_launch {
    const struct tw_module *module;
    uint32_t block[3];
    uint32_t grid[3];
    uint32_t shared; /* bytes of dynamic shared memory */
    size_t value_count;
    const struct tw_value *values;
    uint32_t cluster[3]; /* blocks; zeros are ones */
    /* It may begin while what was queued before it still runs, for its kernel waits for that by
     * itself. A backend may ignore it. */
    bool early;
};

/* What a loaded kernel takes of the device. */
struct tw_kernel_resources {
    int64_t registers;     /* a thread; 0: the backend does not tell */
    int64_t static_shared; /* bytes a block, besides what a launch asks for */
    int64_t local_bytes;   /* a thread's own memory: what did not fit its registers */
    int64_t max_threads;   /* a block of this kernel; 0: the backend does not tell */
    int64_t active_blocks; /* on a compute unit at once; -1: the backend does not tell */
};

enum tw_compute_mode { TW_MODE_SHARED, TW_MODE_EXCLUSIVE, TW_MODE_PROHIBITED };

/* What may disturb measurements on a device, as far as somebody tells: -1 is not known. */
struct tw_device_health {
    char unknown[160]; /* why nothing is told; "" when something is */
    double clock_mhz, clock_max_mhz, memory_clock_mhz;
    double temperature_c, power_w, power_limit_w;
    char slowed_by[160]; /* "power cap, temperature"; "" when nothing does or nobody tells */
    bool has_slowed_by;
    int persistence;     /* 1: the driver stays loaded between programs */
    int mode;            /* enum tw_compute_mode */
    int other_processes; /* that compute on it */
};

struct tw_backend {
    const char *name;
    bool has_addresses; /* an application's buffers are addresses, whose alignment can be told */

    /* How many devices there are; TW_UNAVAILABLE with the reason where the machine has nothing to
     * run the backend with, another status where it has and that does not work. */
    tw_status (*count)(int *count, struct tw_error *error);
    tw_status (*describe)(int index, struct tw_device_info *info, struct tw_error *error);

    /* Compiles for a device without touching it, as far as the backend can (CUDA: only `info->arch`
     * matters). A source that does not compile is TW_COMPILE, with the compiler's words in
     * binary->log. The binary is to be freed in either case. */
    tw_status (*compile)(const struct tw_device_info *info,
                         const struct tw_compile_request *request, struct tw_binary *binary,
                         struct tw_error *error);

    /* Opens a device for one thread, whose own it is until it closes it there. */
    tw_status (*open)(struct tw_device **out, int index, struct tw_error *error);
    /* Opens a device within an application. `context` is the application's (CUcontext, cl_context);
     * NULL: on CUDA the one that the calling thread has current on this device, else the primary;
     * on OpenCL a new one. The calling thread is left as it was. From any thread, `load`, `unload`,
     * memory, `launch_on` and `wait` may then be called, many at once, each between enter and
     * leave. */
    tw_status (*attach)(struct tw_device **out, int index, void *context, struct tw_error *error);
    void (*close)(struct tw_device *device);
    /* The index of the device whose context the calling thread has current; -1 when there is none.
     */
    int (*current)(void);

    /* Makes an attached device the calling thread's, if it is not already. What enter says in
     * *entered must be given to leave, which restores what was before. */
    tw_status (*enter)(struct tw_device *device, bool *entered, struct tw_error *error);
    void (*leave)(struct tw_device *device, bool entered);

    /* TW_RESOURCE when the kernel needs more than the device has. */
    tw_status (*load)(struct tw_device *device, const void *bytes, size_t size,
                      const char *function, uint32_t shared, struct tw_module **out,
                      struct tw_error *error);
    void (*unload)(struct tw_device *device, struct tw_module *module);
    /* What a kernel takes when it is launched with blocks of so many threads and so many bytes of
     * shared memory. */
    tw_status (*resources)(struct tw_device *device, const struct tw_module *module,
                           int64_t threads, uint32_t shared, struct tw_kernel_resources *resources,
                           struct tw_error *error);

    /* Memory is 256-byte aligned on CUDA, and 128-byte aligned on OpenCL, which guarantees that.
     * TW_NO_MEMORY when the device has too little. */
    tw_status (*allocate)(struct tw_device *device, uint64_t bytes, struct tw_memory *out,
                          struct tw_error *error);
    void (*release)(struct tw_device *device, struct tw_memory *memory);
    /* In order with launches. `fill` sets bytes. write and read return when done. */
    tw_status (*fill)(struct tw_device *device, const struct tw_memory *memory, unsigned char byte,
                      struct tw_error *error);
    tw_status (*write)(struct tw_device *device, const struct tw_memory *memory, const void *bytes,
                       struct tw_error *error);
    tw_status (*read)(struct tw_device *device, const struct tw_memory *memory, void *bytes,
                      struct tw_error *error);
    tw_status (*copy)(struct tw_device *device, const struct tw_memory *to,
                      const struct tw_memory *from, struct tw_error *error);

    /* Queues one launch. */
    tw_status (*launch)(struct tw_device *device, const struct tw_launch *launch,
                        struct tw_error *error);
    /* Queues one launch and returns once the device runs it, or has run it. What a driver leaves to
     * a kernel's first launch, as PoCL does most of its compiling, is done then. */
    tw_status (*start)(struct tw_device *device, const struct tw_launch *launch,
                       struct tw_error *error);
    /* Queues launches on the application's own stream (CUstream, cl_command_queue). NULL: on CUDA
     * the default stream, on OpenCL the device's own queue. */
    tw_status (*launch_on)(struct tw_device *device, void *stream, const struct tw_launch *launches,
                           size_t count, struct tw_error *error);
    /* Device memory for what is queued on a stream between the two calls; many streams may have
     * some at once. */
    tw_status (*borrow)(struct tw_device *device, void *stream, uint64_t bytes,
                        struct tw_memory *out, struct tw_error *error);
    tw_status (*give_back)(struct tw_device *device, void *stream, struct tw_memory *memory,
                           struct tw_error *error);
    /* Device memory that is zero where what is queued next on the stream begins, and that it leaves
     * zero. Whoever queues on that stream is given the same again; nothing is given back. *out is
     * empty where there is none: then memory is borrowed and cleared. NULL: there never is. */
    tw_status (*counters)(struct tw_device *device, void *stream, uint64_t bytes,
                          struct tw_memory *out, struct tw_error *error);
    /* Queues zeros. */
    tw_status (*clear)(struct tw_device *device, void *stream, const struct tw_memory *memory,
                       struct tw_error *error);
    /* Waits for what was queued on a stream. */
    tw_status (*wait)(struct tw_device *device, void *stream, struct tw_error *error);
    /* Waits for all that was queued. After TW_DEVICE_LOST only a new process can use the device. */
    tw_status (*synchronize)(struct tw_device *device, struct tw_error *error);
    /* Queues the launches back to back, waits, and tells the device's own time for all of them in
     * seconds. */
    tw_status (*time)(struct tw_device *device, const struct tw_launch *launches, size_t count,
                      double *seconds, struct tw_error *error);
    /* Launches that the device is given at once, so that none waits for the host to queue it: what
     * kernels are timed with that are shorter than a launch. All four are NULL where the backend
     * has nothing of the kind. Creating runs nothing, and copies what the launches pass; it fails
     * with TW_UNAVAILABLE where the driver does not take these launches, and is then to be done
     * without. `graph_queue` queues it once; `graph_time` does so too, waits, and tells the
     * device's own time for it in seconds, which holds nothing of the host's as long as the device
     * is busy with what was queued before. */
    tw_status (*graph_create)(struct tw_device *device, const struct tw_launch *launches,
                              size_t count, struct tw_graph **out, struct tw_error *error);
    void (*graph_destroy)(struct tw_device *device, struct tw_graph *graph);
    tw_status (*graph_queue)(struct tw_device *device, const struct tw_graph *graph,
                             struct tw_error *error);
    tw_status (*graph_time)(struct tw_device *device, const struct tw_graph *graph, double *seconds,
                            struct tw_error *error);
    /* The device's own time for one copy, in seconds. */
    tw_status (*time_copy)(struct tw_device *device, const struct tw_memory *to,
                           const struct tw_memory *from, double *seconds, struct tw_error *error);
    /* Free and total device memory in bytes; free may be an estimate. */
    tw_status (*memory)(struct tw_device *device, uint64_t *free, uint64_t *total,
                        struct tw_error *error);
    /* Clocks, power and temperature as JSON, for provenance; "{}" where nothing can be read. */
    void (*conditions)(struct tw_device *device, struct tw_text *json);
    /* What may disturb measurements; changes nothing. NULL where the backend cannot tell. */
    void (*health)(struct tw_device *device, struct tw_device_health *health);
};

/* A part of an allocation. `offset` must keep the alignment that the kernel expects; OpenCL devices
 * need a multiple of 256. */
struct tw_memory tw_memory_part(const struct tw_memory *memory, uint64_t offset, uint64_t bytes);

#endif
