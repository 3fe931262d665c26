/* What the header has for C and C++ alike: structs that know their size, many plans at once, and a
 * product by its descriptor, in a program that compiles nothing in its calls.
 *
 *     prepare DEVICE */
#include <stdio.h>
#include <tilewise.h>

#if TW_VERSION_NUMBER < 100
#error "the version of the header"
#endif

static int fail(const tw_error *error) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
}

int main(int count, char **words) {
    const char *const none[] = {NULL};
    tw_options options = TW_OPTIONS_INIT;
    tw_request requests[2] = {TW_REQUEST_INIT, TW_REQUEST_INIT};
    tw_gemm_descriptor product = TW_GEMM_DESCRIPTOR_INIT;
    tw_library *library;
    tw_error error;
    const float ones[] = {1, 1, 1, 1, 1, 1};
    float answers[4] = {0, 0, 0, 0};
    void *a, *c;
    options.device = count > 1 ? words[1] : NULL;
    options.databases = none;
    options.prepared_only = 1;
    options.plan_limit = 10;
    if (tw_open(&library, &options, &error) != TW_OK)
        return fail(&error);
    requests[0].kernel = requests[1].kernel = "gemm";
    requests[1].attributes = "trans=nt";
    for (int i = 0; i < 2; i++) {
        requests[i].dimensions[0] = requests[i].dimensions[1] = 2;
        requests[i].dimensions[2] = 3;
    }
    if (tw_prepare(library, requests, 2, 0, NULL, NULL, &error) != TW_OK ||
        tw_allocate(&a, library, sizeof ones, &error) != TW_OK ||
        tw_allocate(&c, library, sizeof answers, &error) != TW_OK ||
        tw_write(library, a, ones, sizeof ones, &error) != TW_OK)
        return fail(&error);
    product.a_type = "f32";
    product.transposes = TW_NT;
    product.m = product.n = 2;
    product.k = 3;
    if (tw_gemm_ex(library, NULL, &product, a, a, c, &error) != TW_OK ||
        tw_read(library, NULL, answers, c, sizeof answers, &error) != TW_OK)
        return fail(&error);
    printf("%s %d: %g\n", tw_version(), tw_version_number() == TW_VERSION_NUMBER, answers[3]);
    product.m = 1;
    if (tw_gemm_ex(library, NULL, &product, a, a, c, &error) == TW_OK)
        return 2;
    printf("%s\n", error.message);
    tw_release(library, a);
    tw_release(library, c);
    tw_close(library);
    return 0;
}
