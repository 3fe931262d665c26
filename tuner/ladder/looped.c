/* Measuring with the loop inside the kernel. */
#include "tuner/ladder/looped.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/variant/compile.h"

/* Long enough that neither the launch nor the first pass, which finds the caches as the policy left
 * them, weighs much; beyond the most a pass of a tiny problem is known well enough. */
enum { FEWEST_PASSES = 16, MOST_PASSES = 1024 };
static const double LONG_US = 2000;

int looped_passes(double launch_us) {
    int passes = FEWEST_PASSES;
    while (passes < MOST_PASSES && passes * launch_us < LONG_US)
        passes *= 2;
    return passes;
}

/* A pass must find what the first one found. */
tw_status looped_check(const struct tw_description *description,
                       const struct tw_implementation *implementation, struct tw_error *error) {
    if (implementation->launch_count != 1)
        return tw_fail(error, TW_INVALID, "it has %d launches, and each needs the one before",
                       implementation->launch_count);
    for (int i = 0; i < description->argument_count; i++) {
        const struct tw_argument *argument = &description->arguments[i];
        if (argument->kind == TW_ARGUMENT_BUFFER &&
            (argument->access == TW_ACCESS_INOUT || argument->read_when >= 0))
            return tw_fail(error, TW_INVALID, "it reads %s, which it changes", argument->name);
    }
    return TW_OK;
}

tw_status looped_compile(const struct testbed *testbed,
                         const struct tw_configuration *configuration, int passes, int64_t *values,
                         struct tw_binaries *binaries, struct tw_error *error) {
    const struct tw_description *d = testbed->problem.description;
    const struct tw_launch_description *launch =
        &d->implementations[configuration->implementation].launches[0];
    struct tw_executable *executable = NULL;
    struct tw_text rendered = {0}, source = {0};
    *binaries = (struct tw_binaries){.count = 1};
    memcpy(values, testbed->values, sizeof testbed->values);
    tw_status status = tw_configuration_bind(d, configuration, values, error);
    if (status == TW_OK)
        status = tw_executable_create(&executable, &testbed->problem, configuration, values,
                                      &testbed->info, error);
    if (status == TW_OK)
        status =
            tw_executable_source(executable, 0, testbed->backend->name, &rendered, NULL, error);
    if (status == TW_OK)
        status = looped_source(launch, rendered.data, executable->launches[0].geometry.shared,
                               passes, &source, error);
    if (status == TW_OK) {
        const struct tw_compile_request request = {.source = source.data,
                                                   .name = launch->templates[0],
                                                   .function = launch->function,
                                                   .passing = true};
        status = tw_launch_compile(testbed->backend, &testbed->info, &request,
                                   &binaries->launches[0], error);
    }
    if (status == TW_OK)
        status = tw_launch_check_registers(&testbed->info, &binaries->launches[0],
                                           tw_geometry_threads(&executable->launches[0].geometry),
                                           error);
    tw_executable_free(executable);
    tw_text_free(&rendered);
    tw_text_free(&source);
    return status;
}

tw_status looped_measure(const struct testbed *testbed, struct workload *workload,
                         const struct tw_configuration *configuration, int passes,
                         struct in_process_result *single, struct tw_error *error) {
    const struct tw_description *d = testbed->problem.description;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_binaries binaries = {0};
    tw_status status = looped_check(d, &d->implementations[configuration->implementation], error);
    if (status == TW_OK)
        status = looped_compile(testbed, configuration, passes, values, &binaries, error);
    if (status == TW_OK)
        status = in_process_run(testbed, workload, configuration, values, &binaries, single, error);
    single->time_us /= passes;
    tw_binaries_free(&binaries);
    return status;
}
