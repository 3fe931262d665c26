/* tw_conv2d, its gradients, and their descriptor. */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/library/calls.h"
#include "runtime/library/plan_create.h"
#include "runtime/library/sized.h"

enum { IMAGES, FILTERS, RESULTS };

/* What is done with a descriptor; `name` is also the kernel's. Of which shapes the input, the
 * second buffer and the output are. */
struct operation {
    const char *name, *second_name;
    int input, second, output;
    bool is_gradient;
};

static const struct operation forward = {"conv2d", "filters", IMAGES, FILTERS, RESULTS, false};
static const struct operation backward_data = {
    "conv2d_backward_data", "filters", RESULTS, FILTERS, IMAGES, true};
static const struct operation backward_weights = {
    "conv2d_backward_weights", "gradient", IMAGES, RESULTS, FILTERS, true};

/* 0 stands for 1. */
static int64_t least_one(int64_t number) {
    return number == 0 ? 1 : number;
}

static tw_status refuse(const struct operation *operation, const tw_conv2d_descriptor *d,
                        tw_error *error) {
    const char *name = operation->name;
    if ((unsigned)d->layout > TW_NHWC)
        return tw_fail(error, TW_INVALID, "%s: layout is %d, which is none of tw_layout", name,
                       (int)d->layout);
    if ((unsigned)d->activation > TW_ACTIVATION_SILU)
        return tw_fail(error, TW_INVALID, "%s: activation is %d, which is none of tw_activation",
                       name, (int)d->activation);
    if (operation->is_gradient && (d->bias != NULL || d->activation != TW_ACTIVATION_NONE))
        return tw_fail(error, TW_INVALID, "%s: a gradient has no bias and no activation", name);
    const struct {
        const char *name;
        int64_t size;
    } sizes[] = {{"channels", d->channels}, {"in_h", d->in_h},         {"in_w", d->in_w},
                 {"filters", d->filters},   {"filter_h", d->filter_h}, {"filter_w", d->filter_w}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].size < 1 || sizes[i].size > INT32_MAX)
            return tw_fail(error, TW_INVALID,
                           "%s: %s is %" PRId64 "; it must be from 1 to 2147483647", name,
                           sizes[i].name, sizes[i].size);
    const struct {
        const char *name;
        int64_t number, least, most;
    } numbers[] = {{"stride_h", d->stride_h, 1, 1024},     {"stride_w", d->stride_w, 1, 1024},
                   {"pad_h", d->pad_h, 0, 1024},           {"pad_w", d->pad_w, 0, 1024},
                   {"dilation_h", d->dilation_h, 1, 1024}, {"dilation_w", d->dilation_w, 1, 1024},
                   {"groups", d->groups, 1, 65535}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].number < 0 || numbers[i].number > numbers[i].most)
            return tw_fail(error, TW_INVALID,
                           "%s: %s is %" PRId64 "; it must be from %" PRId64 " to %" PRId64, name,
                           numbers[i].name, numbers[i].number, numbers[i].least, numbers[i].most);
    return tw_call_size(name, "images", d->images, error);
}

/* A word as a number; false when it is too long to be one. */
static bool pack_word(const char *word, uint64_t *out) {
    uint64_t packed = 0;
    int i = 0;
    for (; word != NULL && i < 8 && word[i] != '\0'; i++)
        packed = packed << 8 | (unsigned char)word[i];
    *out = packed;
    return word == NULL || i < 8 || word[i] == '\0';
}

/* False when no plan has such a key. The attributes are none that a request could have. */
static bool make_key(const struct operation *operation, const tw_conv2d_descriptor *d,
                     int64_t alignment, struct tw_plan_key *key) {
    const uint64_t options = (uint64_t)d->layout | (uint64_t)(d->bias != NULL) << 1 |
                             (uint64_t)d->activation << 2 | (uint64_t)alignment << 8 |
                             (uint64_t)least_one(d->groups) << 16;
    uint64_t beyond = 0;
    *key = (struct tw_plan_key){
        .words = {tw_plan_key_pack(d->images, d->channels, &beyond),
                  tw_plan_key_pack(d->in_h, d->in_w, &beyond),
                  tw_plan_key_pack(d->filters, d->filter_h, &beyond),
                  tw_plan_key_pack(d->filter_w, d->ld_input, &beyond), options,
                  tw_plan_key_pack(d->ld_filters, d->ld_output, &beyond), 0, 0,
                  tw_plan_key_pack(least_one(d->stride_h), least_one(d->stride_w), &beyond),
                  tw_plan_key_pack(d->pad_h, d->pad_w, &beyond),
                  tw_plan_key_pack(least_one(d->dilation_h), least_one(d->dilation_w), &beyond)}};
    key->kernel = operation->name;
    key->attributes = "tw_conv2d";
    bool words = pack_word(d->type, &key->words[6]) && pack_word(d->compute_type, &key->words[7]);
    tw_plan_key_mark(key);
    return words && beyond == 0;
}

/* Only tf32 and direct sums have to be asked for. */
static tw_status check_compute_type(const struct operation *operation,
                                    const tw_conv2d_descriptor *d, const char **compute,
                                    tw_error *error) {
    const char *type = d->type != NULL ? d->type : "f32";
    const char *sums = strcmp(type, "f64") == 0 ? "f64" : "f32";
    *compute = "default";
    if (d->compute_type == NULL || strcmp(d->compute_type, sums) == 0)
        return TW_OK;
    *compute = d->compute_type;
    if (strcmp(*compute, "tf32") == 0 || strcmp(*compute, "direct") == 0)
        return TW_OK;
    return tw_fail(error, TW_INVALID, "compute_type is \"%.40s\", but %s of %.40s computes in %s%s",
                   d->compute_type, operation->name, type, sums,
                   strcmp(type, "f32") == 0   ? ", \"tf32\" or \"direct\""
                   : strcmp(type, "f64") == 0 ? " or \"direct\""
                                              : "");
}

/* By the descriptor's names: a kernel calls strides after what the buffers are to it. */
static tw_status check_strides(const struct operation *operation, const tw_conv2d_descriptor *d,
                               tw_error *error) {
    const bool nhwc = d->layout == TW_NHWC;
    const int64_t reach = least_one(d->dilation_w) * (d->filter_w - 1) + 1;
    const int64_t out_w = (d->in_w + 2 * d->pad_w - reach) / least_one(d->stride_w) + 1;
    /* More than 32 bits can count is refused as such. */
    const int64_t lines = d->channels / least_one(d->groups) * d->filter_h;
    const struct {
        const char *name, *of;
        int64_t stride, row;
    } rows[] = {
        {"ld_input", "images", d->ld_input, nhwc ? d->channels : d->in_w},
        {"ld_filters", "filters", d->ld_filters, lines > INT32_MAX ? 0 : lines * d->filter_w},
        {"ld_output", "results", d->ld_output, nhwc ? d->filters : out_w},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].stride != 0 && rows[i].stride < rows[i].row)
            return tw_fail(error, TW_INVALID,
                           "%s: %s is %" PRId64 ", but rows of the %s have %" PRId64 " elements",
                           operation->name, rows[i].name, rows[i].stride, rows[i].of, rows[i].row);
    return TW_OK;
}

static tw_status find_plan(tw_library *library, const struct operation *operation,
                           const tw_conv2d_descriptor *d, int64_t alignment,
                           const struct tw_plan_key *key, const tw_plan **plan, tw_error *error) {
    static const char *const layouts[] = {"nchw", "nhwc"};
    static const char *const activations[] = {"none", "relu", "gelu", "gelu_tanh", "silu"};
    char attributes[TW_PROBLEM_KEY_SIZE];
    const char *compute;
    tw_status status = check_compute_type(operation, d, &compute, error);
    if (status == TW_OK)
        status = check_strides(operation, d, error);
    if (status != TW_OK)
        return status;
    if (d->type != NULL && strpbrk(d->type, ",=") != NULL) /* which would be further attributes */
        return tw_fail(error, TW_INVALID, "%s has no type \"%.40s\"", operation->name, d->type);
    snprintf(attributes, sizeof attributes,
             "dtype=%.40s,layout=%s,compute=%s,stride_h=%" PRId64 ",stride_w=%" PRId64
             ",pad_h=%" PRId64 ",pad_w=%" PRId64 ",dilation_h=%" PRId64 ",dilation_w=%" PRId64
             ",groups=%" PRId64 "%s%s%s%s",
             d->type != NULL ? d->type : "f32", layouts[d->layout], compute, least_one(d->stride_h),
             least_one(d->stride_w), d->pad_h, d->pad_w, least_one(d->dilation_h),
             least_one(d->dilation_w), least_one(d->groups), operation->is_gradient ? "" : ",bias=",
             operation->is_gradient ? ""
             : d->bias != NULL      ? "filter"
                                    : "none",
             operation->is_gradient ? "" : ",activation=",
             operation->is_gradient ? "" : activations[d->activation]);
    const int64_t strides[] = {d->ld_input, d->ld_filters, d->ld_output};
    const tw_request request = {.kernel = operation->name,
                                .attributes = attributes,
                                .dimensions = {d->images, d->channels, d->in_h, d->in_w, d->filters,
                                               d->filter_h, d->filter_w},
                                .strides = {strides[operation->input], strides[operation->second],
                                            strides[operation->output]},
                                .alignment = alignment};
    return tw_plan_create_missing(library, key, &request, !library->prepared_only, plan, error);
}

static tw_status run(tw_library *library, const struct operation *operation, void *stream,
                     const tw_conv2d_descriptor *d, const void *input, const void *second,
                     void *output, tw_error *error) {
    tw_binding bindings[6] = {{.name = "input", .buffer = (void *)input},
                              {.name = operation->second_name, .buffer = (void *)second},
                              {.name = "output", .buffer = output},
                              {.name = "alpha", .number = d->alpha},
                              {.name = "beta", .number = d->beta},
                              {.name = "biases", .buffer = (void *)d->bias}};
    const size_t count = d->bias != NULL ? 6 : 5;
    struct tw_plan_key key;
    int64_t alignment = tw_call_alignment(library, bindings, count);
    bool has_key = make_key(operation, d, alignment, &key);
    const tw_plan *plan = has_key ? tw_plan_table_hold(library->plans, &key) : NULL;
    tw_status status = plan != NULL ? TW_OK
                                    : find_plan(library, operation, d, alignment,
                                                has_key ? &key : NULL, &plan, error);
    return status == TW_OK ? tw_call_launch(plan, stream, bindings, count, error) : status;
}

/* Without images there is nothing to write, but for the filters' gradient: sums of nothing. */
static tw_status of_nothing(tw_library *library, const struct operation *operation, void *stream,
                            const tw_conv2d_descriptor *d, void *output, tw_error *error) {
    if (operation->output != FILTERS)
        return TW_OK;
    const int64_t terms = d->channels / least_one(d->groups) * d->filter_h * d->filter_w;
    return tw_call_scale(library, stream, d->type, d->filters, terms, d->beta, output,
                         d->ld_filters, error);
}

static tw_status call(tw_library *library, const struct operation *operation, void *stream,
                      const tw_conv2d_descriptor *descriptor, const void *input, const void *second,
                      void *output, tw_error *error) {
    tw_conv2d_descriptor read;
    tw_status status = tw_library_given(library, error);
    if (status == TW_OK &&
        (descriptor == NULL || (descriptor->size != 0 && descriptor->size != sizeof read))) {
        status = tw_sized_read(&tw_sized_conv2d, &read, descriptor, error);
        descriptor = &read;
    }
    if (status == TW_OK)
        status = refuse(operation, descriptor, error);
    if (status != TW_OK)
        return status;
    if (descriptor->images == 0)
        return of_nothing(library, operation, stream, descriptor, output, error);
    return run(library, operation, stream, descriptor, input, second, output, error);
}

tw_status tw_conv2d(tw_library *library, void *stream, const tw_conv2d_descriptor *descriptor,
                    const void *input, const void *filters, void *output, tw_error *error) {
    return call(library, &forward, stream, descriptor, input, filters, output, error);
}

tw_status tw_conv2d_backward_data(tw_library *library, void *stream,
                                  const tw_conv2d_descriptor *descriptor, const void *gradient,
                                  const void *filters, void *output, tw_error *error) {
    return call(library, &backward_data, stream, descriptor, gradient, filters, output, error);
}

tw_status tw_conv2d_backward_weights(tw_library *library, void *stream,
                                     const tw_conv2d_descriptor *descriptor, const void *input,
                                     const void *gradient, void *output, tw_error *error) {
    return call(library, &backward_weights, stream, descriptor, input, gradient, output, error);
}
