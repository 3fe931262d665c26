/* Multiplies ones by halves with nothing but what a database brings, and checks the product.
 *
 *     shipped DEVICE DATABASE trust|doubt M N K
 *
 * Prints the rule that chose and where the binary came from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewise.h>

static tw_error error;

static void check(tw_status status) {
    if (status == TW_OK)
        return;
    fprintf(stderr, "%s: %s\n", tw_status_text(status), error.message);
    exit(1);
}

static void *filled(tw_library *library, size_t count, float value) {
    float *host = malloc(count * sizeof *host);
    void *buffer;
    for (size_t i = 0; i < count; i++)
        host[i] = value;
    check(tw_allocate(&buffer, library, count * sizeof *host, &error));
    check(tw_write(library, buffer, host, count * sizeof *host, &error));
    free(host);
    return buffer;
}

int main(int count, char **words) {
    if (count != 7)
        return 2;
    const char *const databases[] = {words[2], NULL};
    const tw_options options = {.device = words[1],
                                .databases = databases,
                                .binary_directory = "",
                                .trust_binaries = strcmp(words[3], "trust") == 0};
    const tw_request request = {.kernel = "gemm",
                                .dimensions = {atoll(words[4]), atoll(words[5]), atoll(words[6])}};
    const int64_t m = request.dimensions[0], n = request.dimensions[1], k = request.dimensions[2];
    tw_library *library;
    const tw_plan *plan;
    check(tw_open(&library, &options, &error));
    check(tw_plan_create(&plan, library, &request, &error));
    const size_t size = (size_t)(m * n);
    const tw_binding bindings[] = {{.name = "A", .buffer = filled(library, (size_t)(m * k), 1)},
                                   {.name = "B", .buffer = filled(library, (size_t)(k * n), 0.5f)},
                                   {.name = "C", .buffer = filled(library, size, 7)},
                                   {.name = "alpha", .number = 2}};
    float *product = malloc(size * sizeof *product);
    check(tw_launch(plan, NULL, bindings, 4, &error));
    check(tw_read(library, NULL, product, bindings[2].buffer, size * sizeof *product, &error));
    for (size_t i = 0; i < size; i++) {
        if (product[i] != (float)k) {
            fprintf(stderr, "element %zu is %g\n", i, product[i]);
            return 1;
        }
    }
    printf("%s %s\n", tw_plan_explain(plan)->rule, tw_plan_explain(plan)->binary);
    for (int i = 0; i < 3; i++)
        tw_release(library, bindings[i].buffer);
    free(product);
    tw_close(library);
    return 0;
}
