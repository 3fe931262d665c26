#include "tuner/inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/description/languages.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/variant.h"
#include "tuner/inspect/loops.h"
#include "tuner/space/given.h"

/* A configuration on its way from values to binaries and, where there is a device, modules. */
struct subject {
    const struct tw_backend *backend;
    struct tw_device *device; /* NULL: on paper */
    const struct tw_implementation *implementation;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_binaries binaries;
};

/* ---- Which configuration ---- */

static tw_status choose_stored(struct inspection *in, struct tw_error *error) {
    const struct tw_query query = {.catalogue = in->catalogue,
                                   .problem = &in->problem,
                                   .device = &in->device,
                                   .cache = in->cache};
    tw_status status = tw_select(&query, &in->selection, error);
    if (status != TW_OK)
        return status;
    in->configuration = in->selection.configuration;
    in->has_stored = in->selection.rule == TW_SELECTED_EXACT;
    if (in->has_stored)
        in->stored_us = in->selection.row->time_us;
    return TW_OK;
}

/* ---- From a configuration to binaries ---- */

static tw_status bind(const struct inspection *in, struct subject *s, struct tw_error *error) {
    const struct tw_description *d = in->problem.description;
    int64_t slots[TW_DEVICE_SLOTS];
    s->implementation = &d->implementations[in->configuration.implementation];
    tw_device_values(&in->device, slots);
    tw_status status = tw_problem_bind(&in->problem, slots, NULL, s->values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(d, &in->configuration, s->values, error);
    if (status == TW_OK)
        status = tw_configuration_check(d, &in->configuration, s->values, error);
    if (status == TW_OK)
        status = tw_implementation_fits(s->implementation, s->values, &in->device, error);
    return status;
}

static tw_status prepare(const struct inspection *in, struct subject *s, struct tw_error *error) {
    s->backend = tw_backend_find(in->device.backend);
    if (s->backend == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "the backend %s is not compiled in",
                       in->device.backend);
    tw_status status = bind(in, s, error);
    if (status == TW_OK)
        status = tw_variant_compile(s->backend, &in->device, &in->problem, &in->configuration,
                                    s->values, &s->binaries, error);
    if (status == TW_OK && !in->on_paper)
        status = s->backend->open(&s->device, in->device.index, error);
    return status;
}

/* ---- One launch ---- */

/* On paper, what the compiler said of it. */
static tw_status find_resources(const struct subject *s, int index, struct inspected_launch *launch,
                                struct tw_error *error) {
    const struct tw_binary *binary = &s->binaries.launches[index];
    if (s->device == NULL) {
        launch->resources = (struct tw_kernel_resources){.registers = binary->registers,
                                                         .static_shared = binary->static_shared,
                                                         .local_bytes = binary->local_bytes,
                                                         .active_blocks = -1};
        return TW_OK;
    }
    struct tw_module *module = NULL;
    tw_status status = s->backend->load(s->device, binary->bytes, binary->size, launch->function,
                                        launch->geometry.shared, &module, error);
    if (status == TW_OK)
        status = s->backend->resources(s->device, module, tw_geometry_threads(&launch->geometry),
                                       launch->geometry.shared, &launch->resources, error);
    s->backend->unload(s->device, module);
    return status;
}

static void look_at(const struct sass *sass, const bool *chosen, int arch,
                    struct inspected_code *code) {
    counts_take(sass, chosen, &code->counts);
    registers_count(sass, chosen, &code->reads);
    tensor_take(sass, chosen, arch, &code->tensor);
}

static tw_status read_code(const struct inspection *in, const struct tw_binary *binary,
                           struct inspected_launch *launch, struct tw_error *error) {
    struct tw_text listing = {0};
    struct sass sass = {0};
    struct sass_loop loop = {0};
    tw_status status =
        disassembler_run(&in->disassembler, binary->bytes, binary->size, &listing, error);
    if (status == TW_OK) {
        status =
            sass_read(&sass, listing.data != NULL ? listing.data : "", launch->function, error);
        if (status != TW_OK)
            status = tw_fail_within(error, TW_IO, "%s", in->disassembler.path);
    }
    if (status == TW_OK)
        status = sass_find_loop(&sass, &loop, error);
    if (status == TW_OK) {
        launch->has_code = true;
        launch->has_loop = loop.found;
        launch->nested = loop.nested;
        launch->loop_begin = sass.instructions[loop.head].address;
        launch->loop_end = sass.instructions[loop.tail].address;
        look_at(&sass, NULL, in->device.arch, &launch->kernel);
        look_at(&sass, loop.own, in->device.arch, &launch->loop);
    }
    sass_loop_free(&loop);
    sass_free(&sass);
    tw_text_free(&listing);
    return status;
}

static tw_status inspect_launch(const struct inspection *in, const struct subject *s, int index,
                                struct inspected_launch *launch, struct tw_error *error) {
    const struct tw_launch_description *described = &s->implementation->launches[index];
    launch->function = described->function;
    tw_status status = tw_geometry_of(described, s->values, &in->device, &launch->geometry, error);
    if (status == TW_OK)
        status = find_resources(s, index, launch, error);
    if (status != TW_OK)
        return status;
    occupancy_of(&in->device, &launch->geometry, &launch->resources, &launch->occupancy);
    if (in->no_code.message[0] != '\0')
        return TW_OK;
    return read_code(in, &s->binaries.launches[index], launch, error);
}

/* ---- The whole ---- */

static void find_disassembler(struct inspection *in) {
    in->no_code.message[0] = '\0';
    if (!tw_language_of(in->device.backend)->has_machine_code)
        tw_fail(&in->no_code, TW_UNAVAILABLE,
                "it is inspected on CUDA only; --arch sm_90 needs no GPU");
    else
        disassembler_find(&in->disassembler, &in->no_code);
}

static tw_status run(struct inspection *in, struct subject *s, struct tw_error *error) {
    struct tw_work work;
    tw_status status = prepare(in, s, error);
    if (status == TW_OK)
        status = tw_problem_work(&in->problem, s->values, &work, error);
    if (status != TW_OK)
        return status;
    roofline_of(&in->device, &in->problem, &work, &in->roofline);
    find_disassembler(in);
    for (int i = 0; i < s->implementation->launch_count && status == TW_OK; i++)
        status = inspect_launch(in, s, i, &in->launches[in->count++], error);
    return status;
}

tw_status inspect(struct inspection *in, struct tw_error *error) {
    struct subject *s = calloc(1, sizeof *s);
    if (s == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = in->preset != NULL ? given_preset(in->problem.description, in->preset,
                                                         &in->configuration, error)
                                          : choose_stored(in, error);
    if (status == TW_OK)
        status = run(in, s, error);
    if (s->device != NULL)
        s->backend->close(s->device);
    tw_binaries_free(&s->binaries);
    free(s);
    return status;
}
