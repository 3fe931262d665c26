/* With its loop inside, a kernel makes all its accesses in every pass: read from the machine code
 * of every preset that only moves data. No GPU is needed; without a disassembler the kernels are
 * compiled and no more. */
#include "runtime/backend/devices.h"
#include "runtime/description/builtin.h"
#include "tests/support/problems.h"
#include "tests/support/scale.h"
#include "tuner/inspect/disassembler.h"
#include "tuner/inspect/sass.h"
#include "tuner/ladder/looped.h"

static const int64_t whole_tiles[TW_MAX_DIMENSIONS] = {1024, 1024};
static const int64_t cut_tiles[TW_MAX_DIMENSIONS] = {1021, 1023};

static const struct tw_backend *backend;
static struct disassembler disassembler; /* its path is "" when there is none */

static const enum sass_kind accesses[] = {SASS_GLOBAL_LOAD, SASS_GLOBAL_STORE, SASS_SHARED_LOAD,
                                          SASS_SHARED_STORE};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

/* Whether an instruction may be executed again after itself. */
static bool comes_again(const struct sass *sass, size_t index) {
    bool *reached = calloc(sass->count, sizeof *reached);
    size_t *stack = calloc(2 * sass->count + 1, sizeof *stack), depth = 0;
    bool again = false;
    assert_true(reached != NULL && stack != NULL);
    stack[depth++] = index;
    while (depth > 0 && !again) {
        size_t at = stack[--depth];
        const struct sass_instruction *in = &sass->instructions[at];
        bool ends = !in->conditional && (in->kind == SASS_BRANCH || in->kind == SASS_EXIT);
        size_t next[] = {in->never || !ends ? at + 1 : SIZE_MAX,
                         !in->never && in->target >= 0 ? (size_t)in->target : SIZE_MAX};
        for (int i = 0; i < 2; i++) {
            if (next[i] >= sass->count)
                continue;
            again = again || next[i] == index;
            if (!reached[next[i]])
                stack[depth++] = next[i];
            reached[next[i]] = true;
        }
    }
    free(reached);
    free(stack);
    return again;
}

/* Opcodes of accesses that do not say to which memory. */
static bool is_generic(const char *opcode) {
    return strncmp(opcode, "LD.", 3) == 0 || strncmp(opcode, "ST.", 3) == 0 ||
           strcmp(opcode, "LD") == 0 || strcmp(opcode, "ST") == 0;
}

static struct sass disassemble(const struct tw_binary *binary, const char *function) {
    struct tw_text listing = {0};
    struct tw_error error;
    struct sass sass;
    must(disassembler_run(&disassembler, binary->bytes, binary->size, &listing, &error), error);
    must(sass_read(&sass, listing.data, function, &error), error);
    tw_text_free(&listing);
    return sass;
}

static size_t count_of(const struct sass *sass, enum sass_kind kind) {
    size_t count = 0;
    for (size_t i = 0; i < sass->count; i++)
        count += sass->instructions[i].kind == kind && !sass->instructions[i].never;
    return count;
}

/* How many there are of each kind also depends on what the compiler unrolls. */
static void compare(const struct tw_binary *plain, const struct tw_binary *looped,
                    const char *function, const char *what) {
    struct sass once = disassemble(plain, function), often = disassemble(looped, function);
    assert_true(count_of(&once, SASS_GLOBAL_STORE) > 0);
    for (int i = 0; i < ACCESSES; i++) {
        size_t before = count_of(&once, accesses[i]), after = count_of(&often, accesses[i]);
        if ((after > 0) != (before > 0)) {
            fail_msg("%s: %zu accesses of kind %d, in a loop %zu", what, before, (int)accesses[i],
                     after);
        }
    }
    for (size_t i = 0; i < often.count; i++) {
        const struct sass_instruction *in = &often.instructions[i];
        if (is_generic(in->opcode)) {
            fail_msg("%s: %s", what, in->opcode);
        }
        for (int j = 0; j < ACCESSES; j++)
            if (in->kind == accesses[j] && !comes_again(&often, i)) {
                fail_msg("%s: %s at %#x is outside the loop", what, in->opcode, in->address);
            }
    }
    sass_free(&once);
    sass_free(&often);
}

static void check_preset(const struct tw_description *d, int number, bool whole) {
    struct testbed testbed = {.backend = backend, .info = paper_gpu};
    struct tw_binaries plain, looped;
    struct tw_error error;
    const char *name;
    int64_t values[TW_MAX_SYMBOLS];
    char what[2 * TW_PROBLEM_KEY_SIZE], key[TW_PROBLEM_KEY_SIZE];
    struct tw_configuration c = preset_number(d, number, &name);
    const struct tw_implementation *in = &d->implementations[c.implementation];
    testbed.problem = problem_of(d, whole ? whole_tiles : cut_tiles, number + whole);
    bind_problem(&testbed.problem, &testbed.info, testbed.values);
    tw_problem_text(&testbed.problem, key);
    snprintf(what, sizeof what, "%s %s %s", d->kernel, name, key);
    must(looped_check(d, in, &error), error);
    must(testbed_compile(&testbed, &c, values, &plain, &error), error);
    must(looped_compile(&testbed, &c, 64, values, &looped, &error), error);
    if (disassembler.path[0] != '\0')
        compare(&plain.launches[0], &looped.launches[0], in->launches[0].function, what);
    tw_binaries_free(&plain);
    tw_binaries_free(&looped);
}

static void every_pass_makes_all_accesses(void **state) {
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, *state, &error), error);
    for (int number = 0; number < preset_count(d); number++) {
        check_preset(d, number, true);
        check_preset(d, number, false);
    }
    tw_description_free(d);
}

static bool has_compiler(void) {
    const struct tw_compile_request request = {
        .source = "extern \"C\" __global__ void f() { }", .name = "f.cu", .function = "f"};
    struct tw_binary binary = {0};
    struct tw_error error = {.message = "the CUDA backend is not compiled in"};
    backend = tw_backend_find("cuda");
    if (backend == NULL ||
        backend->compile(&paper_gpu, &request, &binary, &error) == TW_UNAVAILABLE) {
        print_message("no NVRTC here: %s\n", error.message);
        backend = NULL;
    }
    tw_binary_free(&binary);
    return backend != NULL;
}

int main(void) {
    static const char *const kernels[] = {"copy", "transpose", "transpose_fine",
                                          "transpose_coarse"};
    enum { KERNELS = sizeof kernels / sizeof *kernels };
    struct CMUnitTest tests[KERNELS];
    struct tw_error error;
    if (!has_compiler())
        return 0;
    if (disassembler_find(&disassembler, &error) != TW_OK) {
        print_message("compiled only: %s\n", error.message);
        disassembler.path[0] = '\0';
    }
    for (int i = 0; i < KERNELS; i++)
        tests[i] = (struct CMUnitTest){.name = kernels[i],
                                       .test_func = every_pass_makes_all_accesses,
                                       .initial_state = (void *)kernels[i]};
    return cmocka_run_group_tests_name("looped", tests, NULL, NULL);
}
