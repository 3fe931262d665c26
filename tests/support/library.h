/* The public library in tests: opened on the backend under test, and buffers with known contents.
 */
#ifndef TESTS_SUPPORT_LIBRARY_H
#define TESTS_SUPPORT_LIBRARY_H

#include <dirent.h>

#include "tests/support/support.h"

/* The backend under test: the program's first argument. */
static const char *backend;

static const char *const no_databases[] = {NULL};

/* Options that read and leave nothing in the home of whoever runs the tests. */
SUPPORT tw_options bare_options(void) {
    return (tw_options){.device = backend, .databases = no_databases, .binary_directory = ""};
}

SUPPORT tw_library *open_with(const tw_options *options) {
    tw_library *library;
    tw_error error;
    must(tw_open(&library, options, &error), error);
    return library;
}

/* As a cmocka state. */
SUPPORT int open_bare(void **state) {
    const tw_options options = bare_options();
    *state = open_with(&options);
    return 0;
}

SUPPORT int close_library(void **state) {
    tw_close(*state);
    return 0;
}

#define LIBRARY_TEST(function) cmocka_unit_test_setup_teardown(function, open_bare, close_library)

/* Takes the backend from the program's arguments; when it has no device, says so and returns false.
 */
SUPPORT bool backend_is_here(int count, char **arguments) {
    tw_library *library;
    tw_error error;
    backend = count > 1 ? arguments[1] : "opencl";
    const tw_options options = bare_options();
    if (tw_open(&library, &options, &error) != TW_OK) {
        print_message("no %s device here: %s\n", backend, error.message);
        return false;
    }
    tw_close(library);
    return true;
}

/* How many binaries a directory of them has; *last, if not NULL, is the path of one. What else the
 * cache keeps there is not counted. */
SUPPORT int count_binaries(const char *path, char last[1024]) {
    DIR *directory = opendir(path);
    int count = 0;
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (suffix == NULL || strcmp(suffix, ".twbin") != 0)
            continue;
        count++;
        if (last != NULL)
            snprintf(last, 1024, "%.500s/%.500s", path, entry->d_name);
    }
    closedir(directory);
    return count;
}

SUPPORT const tw_plan *make_plan(tw_library *library, const tw_request *request) {
    const tw_plan *plan;
    tw_error error;
    must(tw_plan_create(&plan, library, request, &error), error);
    return plan;
}

SUPPORT void *buffer_with(tw_library *library, const void *bytes, size_t size) {
    void *buffer;
    tw_error error;
    must(tw_allocate(&buffer, library, size, &error), error);
    must(tw_write(library, buffer, bytes, size, &error), error);
    return buffer;
}

SUPPORT void read_buffer(tw_library *library, const void *buffer, void *bytes, size_t size) {
    tw_error error;
    must(tw_read(library, NULL, bytes, buffer, size, &error), error);
}

/* Small numbers that differ from place to place, the same for the same seed. */
SUPPORT double number_at(size_t place, unsigned seed) {
    uint64_t x = ((uint64_t)place + 1) * 0x9e3779b97f4a7c15u + seed;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return (double)(x >> 40) / (1 << 23) - 1;
}

#endif
