#include "runtime/library/making.h"

#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/library/builds.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/made_of.h"

/* So many configurations are rendered to look for their binaries, at most: what it takes must be
 * little beside compiling one. */
enum { MOST_LOOKED = 3 };

/* Makes the executable of a configuration, and the key of its build. */
static tw_status offer(struct tw_making *making, const struct tw_configuration *configuration,
                       char key[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_device_info *info = &making->library->info;
    int64_t device[TW_DEVICE_SLOTS];
    tw_executable_free(making->executable);
    making->executable = NULL;
    making->configuration = *configuration;
    tw_device_values(info, device);
    tw_status status =
        tw_problem_bind(&making->problem, device, making->strides, making->values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(making->problem.description, configuration, making->values,
                                       error);
    if (status == TW_OK)
        status = tw_made_of(info, &making->problem, configuration, making->values, key, error);
    if (status == TW_OK)
        status = tw_executable_create(&making->executable, &making->problem, &making->configuration,
                                      making->values, info, error);
    return status;
}

/* `label` has room for what the request points to; the source is the caller's to free. */
struct wanted {
    struct tw_text source;
    struct tw_expected expected;
    char label[TW_PROBLEM_KEY_SIZE + 2 * TW_NAME_SIZE];
    struct tw_module_request request;
};

static tw_status want(const struct tw_making *making, int launch, struct wanted *wanted,
                      struct tw_error *error) {
    const struct tw_executable *x = making->executable;
    const struct tw_description *d = making->problem.description;
    char text[TW_PROBLEM_KEY_SIZE];
    wanted->source = (struct tw_text){0};
    tw_status status =
        tw_executable_source(x, launch, making->library->backend->name, &wanted->source, error);
    if (status != TW_OK)
        return status;
    tw_problem_text(&making->problem, text);
    snprintf(wanted->label, sizeof wanted->label, "%s %s %s", d->kernel,
             d->implementations[x->configuration->implementation].name, text);
    wanted->request = (struct tw_module_request){
        .compile = tw_executable_request(x, launch, wanted->source.data, &wanted->expected),
        .executable = x,
        .label = wanted->label,
        .threads = tw_geometry_threads(&x->launches[launch].geometry),
        .shared = x->launches[launch].geometry.shared};
    return TW_OK;
}

static tw_status get_module(struct tw_making *making, int launch, struct tw_error *error) {
    struct wanted wanted;
    tw_status status = want(making, launch, &wanted, error);
    if (status == TW_OK)
        status = tw_modules_get(making->library->modules, &wanted.request, &making->found[launch],
                                error);
    if (status == TW_BAD_DESCRIPTION) {
        const struct tw_description *d = making->problem.description;
        tw_fail_within(error, status, "%s: %s", d->origin,
                       d->implementations[making->configuration.implementation].name);
    }
    tw_text_free(&wanted.source);
    return status;
}

tw_status tw_making_accept(void *context, const struct tw_configuration *configuration,
                           struct tw_error *error) {
    struct tw_making *making = context;
    struct tw_builds *builds = making->library->builds;
    char key[TW_HASH_SIZE];
    tw_status status = offer(making, configuration, key, error);
    if (status != TW_OK || tw_builds_find(builds, key, making->found) == TW_BUILD_LOADED)
        return status;
    for (int i = 0; i < making->executable->launch_count && status == TW_OK; i++)
        status = get_module(making, i, error);
    if (status == TW_OK)
        return tw_builds_note(builds, key, TW_BUILD_LOADED, making->found, error);
    (void)tw_builds_note(builds, key, TW_BUILD_ABSENT, NULL, NULL);
    return status;
}

tw_status tw_making_promise(void *context, const struct tw_configuration *configuration,
                            struct tw_error *error) {
    struct tw_making *making = context;
    char key[TW_HASH_SIZE];
    tw_status status = offer(making, configuration, key, error);
    return status == TW_OK
               ? tw_builds_note(making->library->builds, key, TW_BUILD_PROMISED, NULL, error)
               : status;
}

static bool is_kept(struct tw_making *making) {
    bool kept = true;
    for (int i = 0; i < making->executable->launch_count && kept; i++) {
        struct wanted wanted;
        kept = want(making, i, &wanted, NULL) == TW_OK &&
               tw_modules_has(making->library->modules, &wanted.request);
        tw_text_free(&wanted.source);
    }
    return kept;
}

/* For want of memory nothing is ready, which is no mistake. */
bool tw_making_ready(void *context, const struct tw_configuration *configuration,
                     enum tw_ready where) {
    struct tw_making *making = context;
    char key[TW_HASH_SIZE];
    if (offer(making, configuration, key, NULL) != TW_OK)
        return false;
    enum tw_build_state state = tw_builds_find(making->library->builds, key, NULL);
    if (where == TW_READY_LOADED)
        return state == TW_BUILD_LOADED || state == TW_BUILD_PROMISED;
    const tw_library *library = making->library;
    if (state == TW_BUILD_ABSENT || making->looked == MOST_LOOKED ||
        (library->cache == NULL && library->binaries == NULL))
        return false;
    making->looked++;
    bool kept = is_kept(making);
    if (!kept)
        (void)tw_builds_note(making->library->builds, key, TW_BUILD_ABSENT, NULL, NULL);
    return kept;
}
