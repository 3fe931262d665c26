/* Products and convolutions on tensor cores that warps feed from registers compile for every
 * architecture that has them, and keep their sums there: presets, in each type, spill nothing. Nor
 * do those on Hopper with scales, and with rows in groups. Without a GPU. */
#include "runtime/description/builtin.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/variant.h"
#include "tests/support/problems.h"
#include "tests/support/scale.h"

/* Shared memory that a block may have (CUDA C++ Programming Guide, compute capabilities). */
static const struct {
    int arch, max_shared, max_cluster;
} architectures[] = {{80, 166912, 1}, {86, 101376, 1},  {89, 101376, 1},
                     {90, 232448, 8}, {100, 232448, 8}, {120, 101376, 8}};

/* `from` and `to` are the first and the last architecture that a preset is for. */
static const struct {
    const char *kernel, *preset, *problem;
    int from, to;
} subjects[] = {
    {"gemm", "mma", "M=1000,N=1000,K=1000;dtype=bf16", 80, 120},
    {"gemm", "mma-tf32", "M=1000,N=1000,K=1000;compute=tf32,trans=nt", 80, 120},
    {"gemm", "mma-i8", "M=1000,N=1000,K=1000;dtype=i8,trans=nt", 80, 120},
    {"gemm", "dmma-four", "M=1000,N=1000,K=1000;dtype=f64", 80, 89},
    {"gemm", "dmma-medium", "M=1000,N=1000,K=1000;dtype=f64", 90, 100},
    {"gemm", "dmma", "M=1000,N=1000,K=1000;dtype=f64,trans=nt", 90, 100},
    {"gemm", "dmma", "M=1000,N=1000,K=1000;dtype=f64,trans=tn", 90, 100},
    {"gemm", "dmma", "M=1000,N=1000,K=1000;dtype=f64,trans=tt", 90, 100},
    {"gemm", "f32-dmma", "M=1000,N=1000,K=1000;compute=f32_split", 90, 90},
    {"gemm", "f32-dmma-sliced",
     "M=101,N=99,K=50;compute=f32_split,trans=tn,batch=3,bias=row,activation=gelu", 90, 90},
    {"gemm", "f32-dmma-split", "M=100,N=100,K=5000;compute=f32_split,trans=nt", 90, 90},
    {"gemm", "f32-dmma-large", "M=1000,N=1000,K=1000;compute=f32_split,trans=tt,addend=apart", 90,
     90},
    {"conv2d", "mma",
     "IMAGES=8,CHANNELS=64,IN_H=56,IN_W=56,FILTERS=72,R=3,S=3;"
     "dtype=f16,layout=nhwc,pad_h=1",
     80, 120},
    {"conv2d", "mma-tf32",
     "IMAGES=8,CHANNELS=60,IN_H=56,IN_W=56,FILTERS=72,R=3,S=3;"
     "layout=nhwc,compute=tf32,pad_w=1",
     80, 120},
    {"conv2d", "mma",
     "IMAGES=8,CHANNELS=64,IN_H=56,IN_W=56,FILTERS=72,R=3,S=3;"
     "dtype=f16,layout=nhwc,bias=filter,activation=relu",
     90, 90},
    {"conv2d", "mma-windows",
     "IMAGES=8,CHANNELS=3,IN_H=225,IN_W=224,FILTERS=64,R=3,S=3;"
     "dtype=f16,layout=nhwc,pad_h=1,pad_w=1",
     80, 120},
    {"conv2d", "mma-windows-large",
     "IMAGES=8,CHANNELS=3,IN_H=224,IN_W=224,FILTERS=72,R=7,S=7;"
     "layout=nhwc,compute=tf32,stride_h=2,stride_w=2,pad_h=3,pad_w=3",
     90, 100},
    {"conv2d", "mma-windows-small",
     "IMAGES=2,CHANNELS=8,IN_H=30,IN_W=31,FILTERS=6,R=5,S=2;"
     "dtype=bf16,layout=nhwc,groups=2,bias=filter,activation=gelu",
     90, 90},
    {"conv2d", "wgmma",
     "IMAGES=8,CHANNELS=72,IN_H=56,IN_W=56,FILTERS=72,R=3,S=3;"
     "dtype=f16,layout=nhwc,pad_h=1,bias=filter,activation=relu",
     90, 90},
    {"conv2d", "wgmma-tf32-split",
     "IMAGES=8,CHANNELS=60,IN_H=56,IN_W=56,FILTERS=72,R=3,S=3;"
     "layout=nhwc,compute=tf32,pad_w=1,stride_h=2",
     90, 90},
    {"gemm", "wgmma-promoted", "M=1000,N=1000,K=1024;dtype=e4m3,trans=nt,scales=rows", 90, 90},
    {"gemm", "wgmma-promoted", "M=1000,N=1000,K=1024;dtype=e4m3,trans=nt,scales=blocks", 90, 90},
    {"gemm", "wgmma-direct", "M=1000,N=1001,K=1024;dtype=e4m3,trans=nt,scales=blocks", 90, 90},
    {"gemm", "wgmma-turned-batch", "M=1001,N=1001,K=1001;dtype=e4m3,btype=e5m2,batch=3", 90, 90},
    {"gemm", "wgmma", "M=1000,N=1040,K=1024;dtype=e4m3,trans=nt", 90, 90},
    {"gemm", "wgmma-narrow", "M=1000,N=1000,K=1000;dtype=bf16,ctype=f32,bias=column", 90, 90},
    {"gemm", "wgmma", "M=1000,N=1000,K=1000;dtype=bf16,scalars=device,addend_scale=tensor", 90, 90},
    {"gemm", "wgmma-pingpong",
     "M=1000,N=1000,K=1000;dtype=bf16,scalars=device,bias=column,activation=silu", 90, 90},
    {"gemm", "wgmma",
     "M=1024,N=1024,K=1024;dtype=e4m3,trans=nt,scales=tensor,bias=column,activation=gelu_tanh", 90,
     90},
    {"gemm", "wgmma-pingpong", "M=1024,N=1024,K=1024;dtype=bf16,bias=column,activation=gelu", 90,
     90},
    {"gemm", "mma", "M=1000,N=1000,K=1000;dtype=f16,scalars=alpha,bias=row", 80, 80},
    {"gemm", "mma-streamed", "M=16,N=14336,K=4096;dtype=bf16", 80, 120},
    {"gemm", "mma-streamed-along", "M=1,N=4096,K=1000;dtype=f16,trans=nt,bias=column", 80, 90},
    {"gemm", "mma-streamed-along", "M=13,N=4096,K=4096;compute=tf32,trans=nt", 90, 90},
    {"gemm", "mma-streamed-bytes", "M=16,N=4096,K=4096;dtype=e4m3,btype=e5m2,trans=nt", 89, 120},
    {"gemm", "mma-streamed-bytes", "M=16,N=4096,K=4096;dtype=i8,trans=nt", 80, 80},
    {"gemm", "tf32-turns", "M=1000,N=1004,K=1000;compute=tf32,trans=nt,bias=column", 90, 90},
    {"gemm", "tf32-rows-turns", "M=1000,N=1004,K=1000;compute=tf32", 90, 90},
    {"gemm", "tf32-rows-tt-turns", "M=1000,N=1004,K=1000;compute=tf32,trans=tt", 90, 90},
    {"gemm", "tf32-parts", "M=200,N=202,K=10000;compute=tf32,trans=nt", 90, 90},
    {"gemm", "tf32-parts", "M=200,N=201,K=10000;compute=tf32,trans=tt", 90, 90},
    {"gemm", "tf32-parts-turned", "M=201,N=200,K=10000;compute=tf32", 90, 90},
    {"gemm", "tf32-parts-copied", "M=200,N=201,K=10000;compute=tf32,trans=tn", 90, 90},
    {"gemm", "tf32-one-turned-turns", "M=1000,N=1004,K=1000;compute=tf32,trans=tn", 90, 90},
    {"gemm", "tf32-one-turned-tall-turns", "M=1004,N=1001,K=1000;compute=tf32,trans=tn", 90, 90},
    {"gemm", "tf32-turned-turns", "M=1001,N=1003,K=1001;compute=tf32,trans=tn", 90, 90},
    {"gemm", "wgmma", "M=1000,N=1008,K=1024;dtype=i8,trans=nt,scales=rows,ctype=bf16", 90, 90},
    {"gemm", "wgmma-pingpong",
     "M=1000,N=1008,K=1024;dtype=i8,trans=nt,scales=tensor,ctype=f16,bias=column,activation=gelu",
     90, 90},
    {"gemm", "wgmma-direct",
     "M=1000,N=1001,K=1024;dtype=i8,trans=nt,scales=rows,ctype=bf16,addend=apart", 90, 90},
    {"gemm", "wgmma-skinny", "M=16,N=1001,K=1024;dtype=i8,trans=nt,scales=rows,ctype=bf16", 90, 90},
    {"gemm", "wgmma", "M=1000,N=1008,K=1024;dtype=i8,trans=nt,scales=rows,ctype=f32", 90, 90},
    {"gemm", "wgmma-direct",
     "M=1000,N=1001,K=1024;dtype=i8,trans=nt,scales=tensor,ctype=f32,bias=row,activation=silu", 90,
     90},
    {"gemm", "wgmma-copied", "M=1001,N=1003,K=1001;dtype=bf16,trans=tn", 90, 90},
    {"gemm", "wgmma-turned-few", "M=1000,N=9,K=1000;dtype=bf16", 90, 90},
    {"gemm", "wgmma-turned-few-rows", "M=9,N=1000,K=1001;dtype=f16,trans=tn", 90, 90},
    {"gemm", "wgmma-boxes", "M=1000,N=1000,K=1000;dtype=bf16", 90, 90},
    {"gemm", "wgmma-stream-k", "M=1000,N=1000,K=1000;dtype=f16,ctype=f32", 90, 90},
    {"gemm", "wgmma-stream-k", "M=1000,N=1040,K=1024;dtype=e4m3,trans=nt", 90, 90},
    {"gemm_grouped", "mma", "M=1000,N=1000,K=1000;dtype=bf16,groups=16,bias=column", 80, 120},
    {"gemm_grouped", "mma-skinny", "M=100,N=1001,K=1027;dtype=f16,trans=nt,groups=7", 80, 120},
    {"gemm", "split", "M=4096,N=4096,K=1032;compute=f32_split", 90, 90},
    {"gemm", "split-compensated", "M=1000,N=1000,K=1000;compute=f32_split", 90, 90},
    {"gemm", "split-tf32x3", "M=4096,N=4096,K=1000;compute=tf32x3,trans=tn", 90, 90},
    {"gemm", "split-compensated",
     "M=500,N=600,K=1000;compute=f32_split,batch=6,addend=apart,bias=row", 90, 90},
    {"gemm", "split-bf16x3", "M=500,N=600,K=1000;compute=bf16x3,trans=tn,batch=6", 90, 90},
    {"gemm", "split-rows", "M=4096,N=4096,K=1032;compute=f32_split", 90, 90},
    {"gemm", "split-rows-turned", "M=1000,N=1000,K=1000;compute=bf16x6", 90, 90},
    {"aat", "split", "M=4096,K=1024;compute=f32_split", 90, 90},
    {"aat", "split-compensated", "M=1001,K=1003;compute=bf16x6", 90, 90},
    {"aat", "split-small", "M=1000,K=1000;compute=f32_split", 90, 90},
    {"aat", "split-bf16x3", "M=1000,K=1000;compute=bf16x3", 90, 90},
    {"aat", "split-tf32x3", "M=1000,K=1000;compute=tf32x3", 90, 90},
    {"aat", "split-tf32", "M=1000,K=1000;compute=tf32", 90, 90},
    {"gemm_grouped", "wgmma", "M=1000,N=1000,K=1000;dtype=bf16,groups=16,bias=column", 90, 90},
    {"gemm_grouped", "wgmma-skinny", "M=100,N=1000,K=1024;dtype=e4m3,trans=nt,groups=16", 90, 90}};

static struct tw_configuration preset_named(const struct tw_description *d, const char *wanted) {
    for (int i = 0; i < preset_count(d); i++) {
        const char *name;
        struct tw_configuration c = preset_number(d, i, &name);
        if (strcmp(name, wanted) == 0)
            return c;
    }
    fail_msg("%s has no preset %s", d->kernel, wanted);
    return (struct tw_configuration){0};
}

/* False where there is no compiler. */
static bool compile(const struct tw_description *d, const struct tw_device_info *device,
                    int subject) {
    const struct tw_backend *backend = tw_backend_find("cuda");
    struct tw_problem problem;
    const struct tw_configuration c = preset_named(d, subjects[subject].preset);
    struct tw_binaries binaries;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    if (backend == NULL)
        return false;
    must(tw_problem_read(&problem, d, subjects[subject].problem, &error), error);
    bind_problem(&problem, device, values);
    must(is_allowed(d, &c, values, device, &error), error);
    must(tw_configuration_bind(d, &c, values, &error), error);
    tw_status status = tw_variant_compile(backend, device, &problem, &c, values, &binaries, &error);
    if (status == TW_UNAVAILABLE)
        return false;
    must(status, error);
    /* Launches that make copies or add parts need few registers. */
    int64_t registers = 0, spilled = 0;
    for (int i = 0; i < binaries.count; i++) {
        const struct tw_binary *binary = &binaries.launches[i];
        registers = binary->registers > registers ? binary->registers : registers;
        spilled += binary->spill_bytes;
    }
    if (spilled > 0 || registers < 48)
        fail_msg("%s, %s on %s: %ld registers, %ld bytes spilled", subjects[subject].preset,
                 subjects[subject].problem, device->architecture, (long)registers, (long)spilled);
    tw_binaries_free(&binaries);
    return true;
}

static void nothing_is_spilled(void **state) {
    (void)state;
    bool has_compiler = true;
    for (int i = 0; i < (int)(sizeof subjects / sizeof *subjects) && has_compiler; i++) {
        struct tw_description *d;
        struct tw_error error;
        must(tw_description_builtin(&d, subjects[i].kernel, &error), error);
        for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
            struct tw_device_info device = paper_gpu;
            device.arch = architectures[a].arch;
            device.max_shared = architectures[a].max_shared;
            device.max_cluster = architectures[a].max_cluster;
            device.has_tensor_maps = device.arch >= 90;
            snprintf(device.architecture, sizeof device.architecture, "sm_%d", device.arch);
            if (has_compiler && device.arch >= subjects[i].from && device.arch <= subjects[i].to)
                has_compiler = compile(d, &device, i);
        }
        tw_description_free(d);
    }
    if (!has_compiler)
        print_message("no NVRTC here\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_spilled)};
    return cmocka_run_group_tests_name("nvrtc tensor", tests, NULL, NULL);
}
