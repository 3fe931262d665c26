#include "runtime/library/making.h"

#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/library/builds.h"
#include "runtime/variant/brief.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/made_of.h"

/* So many configurations are rendered to look for their binaries, at most: what it takes must be
 * little beside compiling one. */
enum { MOST_LOOKED = 3 };

void tw_making_end(struct tw_making *making) {
    tw_executable_free(making->executable);
    making->executable = NULL;
    for (int i = 0; i < TW_MAX_LAUNCHES; i++) {
        tw_text_free(&making->sources[i]);
        making->hashes[i][0] = making->briefs[i][0] = '\0';
    }
}

/* What a configuration's build is known by, which takes no executable. */
static tw_status name_build(struct tw_making *making, const struct tw_configuration *configuration,
                            char build[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_device_info *info = &making->library->info;
    int64_t device[TW_DEVICE_SLOTS];
    tw_status status = TW_OK;
    if (!making->bound) {
        tw_device_values(info, device);
        status =
            tw_problem_bind(&making->problem, device, making->strides, making->of_problem, error);
    }
    making->bound = status == TW_OK;
    return status == TW_OK
               ? tw_made_of(info, &making->problem, configuration, making->of_problem, build, error)
               : status;
}

/* Makes the executable of a configuration, and the key of its build. What was found to be ready is
 * accepted next mostly: then all is there. */
static tw_status offer(struct tw_making *making, const struct tw_configuration *configuration,
                       struct tw_error *error) {
    const struct tw_description *d = making->problem.description;
    const struct tw_device_info *info = &making->library->info;
    if (making->executable != NULL &&
        tw_configuration_equal(d, &making->configuration, configuration))
        return TW_OK;
    tw_making_end(making);
    making->configuration = *configuration;
    tw_status status = name_build(making, configuration, making->build, error);
    memcpy(making->values, making->of_problem, sizeof making->values);
    if (status == TW_OK)
        status = tw_configuration_bind(d, configuration, making->values, error);
    if (status == TW_OK)
        status = tw_executable_create(&making->executable, &making->problem, &making->configuration,
                                      making->values, info, error);
    return status;
}

/* ---- Binaries ---- */

static tw_status brief_of(const struct tw_making *making, int launch, char brief[TW_HASH_SIZE]) {
    return tw_executable_brief(making->executable, launch, making->library->backend->name, brief,
                               NULL);
}

/* Whether the directory of binaries tells which hash a launch's source has, so that it need not be
 * rendered to look for its binary. */
static bool is_named(struct tw_making *making, int launch) {
    const tw_library *library = making->library;
    char *brief = making->briefs[launch];
    if (making->hashes[launch][0] != '\0')
        return making->sources[launch].data == NULL;
    if (library->cache == NULL)
        return false;
    if (brief_of(making, launch, brief) != TW_OK) {
        brief[0] = '\0';
        return false;
    }
    return tw_cache_named(library->cache, brief, making->hashes[launch]);
}

/* If the source was rendered from what the brief says: a template may have been written to in
 * between, and then nobody knows what it was when it was read. */
static void name(const struct tw_making *making, int launch) {
    const char *before = making->briefs[launch];
    char now[TW_HASH_SIZE];
    if (before[0] != '\0' && brief_of(making, launch, now) == TW_OK && strcmp(before, now) == 0)
        tw_cache_name(making->library->cache, before, making->hashes[launch]);
}

/* What there is to ask for without a source. */
static struct tw_module_request named_request(const struct tw_making *making, int launch) {
    const struct tw_executable_launch *x = &making->executable->launches[launch];
    return (struct tw_module_request){.compile = {.function = x->function},
                                      .hash = making->hashes[launch],
                                      .label = "",
                                      .threads = tw_geometry_threads(&x->geometry),
                                      .shared = x->geometry.shared};
}

/* `label` has room for what the request points to. */
struct wanted {
    struct tw_expected expected;
    char label[TW_PROBLEM_KEY_SIZE + 2 * TW_NAME_SIZE];
    struct tw_module_request request;
};

static tw_status want(struct tw_making *making, int launch, struct wanted *wanted,
                      struct tw_error *error) {
    const struct tw_executable *x = making->executable;
    const struct tw_description *d = making->problem.description;
    struct tw_text *source = &making->sources[launch];
    char text[TW_PROBLEM_KEY_SIZE];
    tw_status status = source->data == NULL
                           ? tw_executable_source(x, launch, making->library->backend->name, source,
                                                  making->hashes[launch], error)
                           : TW_OK;
    if (status != TW_OK) {
        tw_text_free(source);
        return status;
    }
    tw_problem_text(&making->problem, text);
    snprintf(wanted->label, sizeof wanted->label, "%s %s %s", d->kernel,
             d->implementations[x->configuration->implementation].name, text);
    wanted->request = (struct tw_module_request){
        .compile = tw_executable_request(x, launch, source->data, &wanted->expected),
        .hash = making->hashes[launch],
        .label = wanted->label,
        .threads = tw_geometry_threads(&x->launches[launch].geometry),
        .shared = x->launches[launch].geometry.shared};
    return TW_OK;
}

static tw_status get_module(struct tw_making *making, int launch, struct tw_error *error) {
    struct tw_modules *modules = making->library->modules;
    struct wanted wanted;
    if (is_named(making, launch)) {
        const struct tw_module_request request = named_request(making, launch);
        if (tw_modules_get(modules, &request, &making->found[launch], NULL) == TW_OK)
            return TW_OK;
    }
    tw_status status = want(making, launch, &wanted, error);
    if (status == TW_OK)
        status = tw_modules_get(modules, &wanted.request, &making->found[launch], error);
    if (status == TW_OK)
        name(making, launch);
    if (status == TW_BAD_DESCRIPTION) {
        const struct tw_description *d = making->problem.description;
        tw_fail_within(error, status, "%s: %s", d->origin,
                       d->implementations[making->configuration.implementation].name);
    }
    return status;
}

tw_status tw_making_accept(void *context, const struct tw_configuration *configuration,
                           struct tw_error *error) {
    struct tw_making *making = context;
    struct tw_builds *builds = making->library->builds;
    tw_status status = offer(making, configuration, error);
    if (status != TW_OK || tw_builds_find(builds, making->build, making->found) == TW_BUILD_LOADED)
        return status;
    for (int i = 0; i < making->executable->launch_count && status == TW_OK; i++)
        status = get_module(making, i, error);
    if (status == TW_OK)
        return tw_builds_note(builds, making->build, TW_BUILD_LOADED, making->found, error);
    (void)tw_builds_note(builds, making->build, TW_BUILD_ABSENT, NULL, NULL);
    return status;
}

tw_status tw_making_promise(void *context, const struct tw_configuration *configuration,
                            struct tw_error *error) {
    struct tw_making *making = context;
    tw_status status = offer(making, configuration, error);
    return status == TW_OK ? tw_builds_note(making->library->builds, making->build,
                                            TW_BUILD_PROMISED, NULL, error)
                           : status;
}

static bool is_launch_kept(struct tw_making *making, int launch) {
    struct tw_modules *modules = making->library->modules;
    struct wanted wanted;
    if (is_named(making, launch)) {
        const struct tw_module_request request = named_request(making, launch);
        if (tw_modules_has(modules, &request))
            return true;
    }
    return want(making, launch, &wanted, NULL) == TW_OK && tw_modules_has(modules, &wanted.request);
}

static bool is_kept(struct tw_making *making) {
    bool kept = true;
    for (int i = 0; i < making->executable->launch_count && kept; i++)
        kept = is_launch_kept(making, i);
    return kept;
}

/* For want of memory nothing is ready, which is no mistake. */
bool tw_making_ready(void *context, const struct tw_configuration *configuration,
                     enum tw_ready where) {
    struct tw_making *making = context;
    char build[TW_HASH_SIZE];
    if (name_build(making, configuration, build, NULL) != TW_OK)
        return false;
    enum tw_build_state state = tw_builds_find(making->library->builds, build, NULL);
    if (where == TW_READY_LOADED)
        return state == TW_BUILD_LOADED || state == TW_BUILD_PROMISED;
    const tw_library *library = making->library;
    if (state == TW_BUILD_ABSENT || making->looked == MOST_LOOKED ||
        (library->cache == NULL && library->binaries == NULL) ||
        offer(making, configuration, NULL) != TW_OK)
        return false;
    making->looked++;
    bool kept = is_kept(making);
    if (!kept)
        (void)tw_builds_note(making->library->builds, making->build, TW_BUILD_ABSENT, NULL, NULL);
    return kept;
}
