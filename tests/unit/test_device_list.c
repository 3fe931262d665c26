/* What --devices names. */
#include "tuner/commands/device_list.h"

#include "tests/support/scale.h"

/* Three like GPUs, one with less memory, their OpenCL faces, and two CPUs. */
enum { THERE = 8 };
static struct tw_device_info there[THERE];

static void put(int at, const char *backend, int index, const char *name, bool is_cpu, int gib) {
    there[at] = paper_gpu;
    there[at].index = index;
    there[at].is_cpu = is_cpu;
    there[at].memory_bytes = (int64_t)gib << 30;
    snprintf(there[at].backend, sizeof there[at].backend, "%s", backend);
    snprintf(there[at].id, sizeof there[at].id, "%s:%d", backend, index);
    snprintf(there[at].name, sizeof there[at].name, "%s", name);
}

static int set_up(void **state) {
    (void)state;
    put(0, "cuda", 0, "Paper GPU", false, 80);
    put(1, "cuda", 1, "Paper GPU", false, 40);
    put(2, "cuda", 2, "Paper GPU", false, 80);
    put(3, "cuda", 3, "Paper GPU", false, 80);
    put(4, "opencl", 0, "Paper GPU", false, 80);
    put(5, "opencl", 3, "Other GPU", false, 80);
    put(6, "opencl", 1, "Paper CPU", true, 20);
    put(7, "opencl", 2, "Paper CPU", true, 20);
    return 0;
}

static struct device_list list;
static struct tw_error error;

static tw_status choose(const char *words) {
    return device_list_choose(&list, there, THERE, words, &error);
}

/* The devices by name, a group in brackets. */
static const char *chosen(const char *words) {
    static struct tw_text text;
    tw_text_free(&text);
    must(choose(words), error);
    for (int i = 0, left = 0; i < list.count; i++, left--) {
        if (left == 0)
            left = device_list_alike(&list, i);
        tw_text_print(&text, "%s%s", list.devices[i].id, left == 1 ? "|" : " ");
    }
    return tw_text_or(&text, "");
}

static void lists_ranges_and_backends(void **state) {
    (void)state;
    assert_string_equal(chosen("cuda:2"), "cuda:2|");
    assert_string_equal(chosen("cuda:2-3"), "cuda:2 cuda:3|");
    assert_string_equal(chosen("cuda:2,0"), "cuda:2 cuda:0|");
    assert_string_equal(chosen("opencl:1-2,cuda:3"), "opencl:1 opencl:2|cuda:3|");
    assert_string_equal(chosen("opencl"), "opencl:0|opencl:3|opencl:1 opencl:2|");
}

/* Those that results of one hold for are together. */
static void unlike_ones_stand_apart(void **state) {
    (void)state;
    assert_string_equal(chosen("cuda:0-3"), "cuda:0 cuda:2 cuda:3|cuda:1|");
    assert_string_equal(chosen("cuda"), "cuda:0 cuda:2 cuda:3|cuda:1|");
}

/* A card that CUDA shows is not taken a second time through OpenCL, and a CPU not where there are
 * GPUs. */
static void all_of_them(void **state) {
    (void)state;
    assert_string_equal(chosen("all"), "cuda:0 cuda:2 cuda:3|cuda:1|opencl:3|");
    for (int i = 0; i < 6; i++)
        there[i] = there[6];
    must(device_list_choose(&list, there + 6, 2, "all", &error), error);
    assert_int_equal(list.count, 2);
    assert_refuses(device_list_choose(&list, there, 0, "all", &error), TW_UNAVAILABLE, error,
                   "--devices all: there is no device");
}

static void mistakes(void **state) {
    (void)state;
    assert_refuses(choose("cuda:7"), TW_NOT_FOUND, error,
                   "--devices cuda:7: there is no device cuda:7; there are: cuda:0, cuda:1, ");
    assert_refuses(choose("cuda:2-9"), TW_NOT_FOUND, error, "there is no device cuda:4;");
    assert_refuses(choose("hip"), TW_NOT_FOUND, error, "there is no device hip;");
    assert_refuses(choose("cuda:0,cuda:0-2"), TW_INVALID, error, "names cuda:0 twice");
    assert_refuses(choose("cuda,cuda:1"), TW_INVALID, error, "names cuda:1 twice");
    for (const char *const *words =
             (const char *const[]){"", ",", "cuda:", "cuda:3-1", "cuda:1-", "cuda:x", "1",
                                   "cuda:0,", "cuda:-1", "cuda:1-2-3", ":2", NULL};
         *words != NULL; words++)
        assert_refuses(choose(*words), TW_INVALID, error, "names no devices; write all, a backend");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lists_ranges_and_backends, set_up),
        cmocka_unit_test_setup(unlike_ones_stand_apart, set_up),
        cmocka_unit_test_setup(all_of_them, set_up),
        cmocka_unit_test_setup(mistakes, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
