/* In place of libtilewise, on a CUDA device that is not there: keeps what it was last called with,
 * so that a test can look at it. The answers are those of a library that does everything at once.
 */
#include <stdio.h>
#include <string.h>

#include "runtime/tilewise.h"

/* Of the last product, and of the last matrix that was moved. */
TW_API tw_gemm_descriptor recorded;
TW_API const void *recorded_buffers[3];
TW_API void *recorded_stream;
TW_API int64_t recorded_numbers[6];
TW_API int recorded_calls;
/* What calls answer. */
TW_API tw_status recorder_status;

const char *tw_version(void) {
    return "0.1.0";
}

int tw_version_number(void) {
    return TW_VERSION_NUMBER;
}

tw_status tw_open(tw_library **out, const tw_options *options, tw_error *error) {
    static int any;
    (void)options, (void)error;
    *out = (tw_library *)&any;
    return TW_OK;
}

void tw_close(tw_library *library) {
    (void)library;
}

const char *tw_device_id(const tw_library *library) {
    (void)library;
    return "cuda:0";
}

const char *tw_device_name(const tw_library *library) {
    (void)library;
    return "a recorder";
}

static tw_status answer(void *stream, const void *a, const void *b, const void *c,
                        tw_error *error) {
    recorded_stream = stream;
    recorded_buffers[0] = a, recorded_buffers[1] = b, recorded_buffers[2] = c;
    recorded_calls++;
    if (recorder_status != TW_OK)
        snprintf(error->message, sizeof error->message, "the recorder was told to fail");
    return recorder_status;
}

tw_status tw_gemm_ex(tw_library *library, void *stream, const tw_gemm_descriptor *descriptor,
                     const void *a, const void *b, void *c, tw_error *error) {
    (void)library;
    recorded = *descriptor;
    return answer(stream, a, b, c, error);
}

static tw_status move(void *stream, int64_t kind, int64_t bytes, int64_t m, int64_t n,
                      const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error) {
    const int64_t numbers[] = {kind, bytes, m, n, lda, ldb};
    memcpy(recorded_numbers, numbers, sizeof numbers);
    return answer(stream, a, b, NULL, error);
}

tw_status tw_transpose(tw_library *library, void *stream, int element_bytes, int64_t m, int64_t n,
                       const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error) {
    (void)library;
    return move(stream, 't', element_bytes, m, n, a, lda, b, ldb, error);
}

tw_status tw_copy(tw_library *library, void *stream, int element_bytes, int64_t m, int64_t n,
                  const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error) {
    (void)library;
    return move(stream, 'c', element_bytes, m, n, a, lda, b, ldb, error);
}

tw_status tw_aat(tw_library *library, void *stream, int64_t m, int64_t k, const void *a,
                 int64_t lda, void *c, int64_t ldc, tw_error *error) {
    (void)library;
    return move(stream, 'a', 4, m, k, a, lda, c, ldc, error);
}

tw_status tw_aat_ex(tw_library *library, void *stream, const tw_aat_descriptor *d, const void *a,
                    void *c, tw_error *error) {
    (void)library;
    /* The word by its first letter. */
    return move(stream, d->compute_type[0], (int64_t)d->size, d->m, d->k, a, d->lda, c, d->ldc,
                error);
}

/* What is not recorded is only there to be found. */
tw_status tw_plan_create(const tw_plan **out, tw_library *library, const tw_request *request,
                         tw_error *error) {
    (void)library, (void)request, (void)error;
    *out = NULL;
    return TW_UNAVAILABLE;
}

void tw_plan_release(const tw_plan *plan) {
    (void)plan;
}

tw_status tw_prepare(tw_library *library, const tw_request *requests, size_t count, int threads,
                     const tw_plan **plans, tw_error *errors, tw_error *error) {
    (void)library, (void)requests, (void)count, (void)threads, (void)plans, (void)errors,
        (void)error;
    return TW_UNAVAILABLE;
}

tw_status tw_request_argument(tw_argument_info *out, tw_library *library, const tw_request *request,
                              size_t index, tw_error *error) {
    (void)out, (void)library, (void)request, (void)index, (void)error;
    return TW_UNAVAILABLE;
}

tw_status tw_launch(const tw_plan *plan, void *stream, const tw_binding *bindings, size_t count,
                    tw_error *error) {
    (void)plan, (void)stream, (void)bindings, (void)count, (void)error;
    return TW_UNAVAILABLE;
}

const tw_explanation *tw_plan_explain(const tw_plan *plan) {
    (void)plan;
    return NULL;
}

tw_status tw_allocate(void **out, tw_library *library, uint64_t bytes, tw_error *error) {
    (void)out, (void)library, (void)bytes, (void)error;
    return TW_UNAVAILABLE;
}

void tw_release(tw_library *library, void *buffer) {
    (void)library, (void)buffer;
}

tw_status tw_wait(tw_library *library, void *stream, tw_error *error) {
    (void)library, (void)stream, (void)error;
    return TW_OK;
}
