/* libtilewise next to the CUDA runtime and cuBLAS, in a program that uses them as most do. Skipped
 * where they or a GPU are missing.
 *
 * Links the shared library only; the others are opened at run time, and their headers done without.
 */
#include <dlfcn.h>

#include "tests/support/library.h"

struct toolkit {
    int (*malloc)(void **pointer, size_t bytes);
    int (*free)(void *pointer);
    int (*copy)(void *to, const void *from, size_t bytes, int kind);
    int (*stream_create)(void **stream);
    int (*stream_synchronize)(void *stream);
    int (*stream_destroy)(void *stream);
    int (*last_error)(void);
    int (*blas_create)(void **handle);
    int (*blas_destroy)(void *handle);
    int (*blas_set_stream)(void *handle, void *stream);
    int (*sgemm)(void *handle, int trans_a, int trans_b, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
};

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

static void *open_one_of(const char *const *names) {
    void *library = NULL;
    for (; *names != NULL && library == NULL; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* The address of a function of an opened library, kept at `to`; false when it has none. */
static bool find_function(void *library, const char *name, void *to) {
    void *address = library != NULL ? dlsym(library, name) : NULL;
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

static bool open_toolkit(struct toolkit *kit) {
    static const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so",
                                           NULL};
    static const char *const blases[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                         NULL};
    void *runtime = open_one_of(runtimes), *blas = open_one_of(blases);
    return find_function(runtime, "cudaMalloc", &kit->malloc) &&
           find_function(runtime, "cudaFree", &kit->free) &&
           find_function(runtime, "cudaMemcpy", &kit->copy) &&
           find_function(runtime, "cudaStreamCreate", &kit->stream_create) &&
           find_function(runtime, "cudaStreamSynchronize", &kit->stream_synchronize) &&
           find_function(runtime, "cudaStreamDestroy", &kit->stream_destroy) &&
           find_function(runtime, "cudaGetLastError", &kit->last_error) &&
           find_function(blas, "cublasCreate_v2", &kit->blas_create) &&
           find_function(blas, "cublasDestroy_v2", &kit->blas_destroy) &&
           find_function(blas, "cublasSetStream_v2", &kit->blas_set_stream) &&
           find_function(blas, "cublasSgemm_v2", &kit->sgemm);
}

/* cuBLAS, then Tilewise, then cuBLAS: each takes what the other has made, all on one stream, with
 * nothing waited for in between. */
static void next_to_cublas(void **state) {
    const struct toolkit kit = *(const struct toolkit *)*state;
    enum { S = 96, CELLS = S * S };
    static float ones[CELLS], got[CELLS];
    void *handle, *stream, *matrices[4];
    const float one = 1, zero = 0;
    tw_library *library;
    tw_error error;
    for (int i = 0; i < CELLS; i++)
        ones[i] = 1;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kit.malloc(&matrices[i], sizeof ones), 0);
        assert_int_equal(kit.copy(matrices[i], ones, sizeof ones, HOST_TO_DEVICE), 0);
    }
    assert_int_equal(kit.blas_create(&handle), 0);
    assert_int_equal(kit.stream_create(&stream), 0);
    assert_int_equal(kit.blas_set_stream(handle, stream), 0);
    const tw_options options = {.databases = no_databases, .binary_directory = ""};
    must(tw_open(&library, &options, &error), error);
    /* 1 = 0*0; 2 = 1*0; 3 = 2*0: S, then S*S, then S*S*S everywhere. */
    assert_int_equal(kit.sgemm(handle, 0, 0, S, S, S, &one, matrices[0], S, matrices[0], S, &zero,
                               matrices[1], S),
                     0);
    must(tw_gemm(library, stream, TW_F32, TW_NN, S, S, S, 1, matrices[1], S, matrices[0], S, 0,
                 matrices[2], S, &error),
         error);
    assert_int_equal(kit.sgemm(handle, 0, 0, S, S, S, &one, matrices[2], S, matrices[0], S, &zero,
                               matrices[3], S),
                     0);
    assert_int_equal(kit.stream_synchronize(stream), 0);
    assert_int_equal(kit.copy(got, matrices[3], sizeof got, DEVICE_TO_HOST), 0);
    for (int i = 0; i < CELLS; i++)
        assert_true(got[i] == (float)S * S * S);
    tw_close(library);
    /* The runtime goes on as if nobody else had been there. */
    assert_int_equal(kit.copy(got, matrices[2], sizeof got, DEVICE_TO_HOST), 0);
    assert_true(got[0] == (float)S * S);
    assert_int_equal(kit.last_error(), 0);
    assert_int_equal(kit.stream_destroy(stream), 0);
    assert_int_equal(kit.blas_destroy(handle), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(kit.free(matrices[i]), 0);
}

int main(void) {
    struct toolkit kit = {0};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(next_to_cublas, &kit)};
    static char *arguments[] = {"", "cuda"};
    if (!backend_is_here(2, arguments))
        return 0;
    if (!open_toolkit(&kit)) {
        print_message("no cuda runtime and cuBLAS here\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
