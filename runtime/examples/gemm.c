/* Multiplies two matrices with the best kernel known for this device, and says which that is.
 *
 *     cc gemm.c $(pkg-config --cflags --libs tilewise) -o gemm && ./gemm 512 512 512 */
#include <stdio.h>
#include <stdlib.h>
#include <tilewise.h>

static void check(tw_status status, const tw_error *error) {
    if (status == TW_OK)
        return;
    fprintf(stderr, "%s: %s\n", tw_status_text(status), error->message);
    exit(1);
}

int main(int count, char **words) {
    long m = count > 3 ? atol(words[1]) : 512, n = count > 3 ? atol(words[2]) : 512;
    long k = count > 3 ? atol(words[3]) : 512;
    size_t sizes[] = {m * k * sizeof(float), k * n * sizeof(float), m * n * sizeof(float)};
    float *host[3];
    void *device[3];
    tw_library *tilewise;
    tw_error error;
    check(tw_open(&tilewise, NULL, &error), &error);
    for (int i = 0; i < 3; i++) {
        host[i] = malloc(sizes[i]);
        for (size_t j = 0; j < sizes[i] / sizeof(float); j++)
            host[i][j] = i == 0 ? 1.0f : 0.5f;
        check(tw_allocate(&device[i], tilewise, sizes[i], &error), &error);
        check(tw_write(tilewise, device[i], host[i], sizes[i], &error), &error);
    }
    check(tw_gemm(tilewise, NULL, TW_F32, TW_NN, m, n, k, 2, device[0], k, device[1], n, 0,
                  device[2], n, &error),
          &error);
    check(tw_read(tilewise, NULL, host[2], device[2], sizes[2], &error), &error);
    const tw_plan *plan;
    const tw_request request = {.kernel = "gemm", .dimensions = {m, n, k}};
    check(tw_plan_create(&plan, tilewise, &request, &error), &error);
    printf("%sC[0][0] = %g; it should be %ld\n", tw_plan_explain(plan)->text, host[2][0], k);
    for (int i = 0; i < 3; i++) {
        tw_release(tilewise, device[i]);
        free(host[i]);
    }
    tw_close(tilewise);
    return 0;
}
