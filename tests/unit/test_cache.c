/* The binary cache on disk: whole files or none, whatever happens to them. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/variant/cache.h"

struct fixture {
    char directory[64];
    struct tw_cache *cache;
    char key[TW_HASH_SIZE];
};

static const struct tw_device_info device = {
    .backend = "cuda", .architecture = "sm_90", .arch = 90, .compiler = "NVRTC 13.0"};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct tw_error error;
    strcpy(f->directory, "/tmp/tilewise-cache-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    assert_int_equal(tw_cache_open(&f->cache, f->directory, 0, &error), TW_OK);
    tw_cache_key(&device, "source", "function", f->key);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    char command[128];
    tw_cache_close(f->cache);
    snprintf(command, sizeof command, "rm -rf '%s'", f->directory);
    int status = system(command);
    free(f);
    return status;
}

static struct tw_binary binary_of(const char *text) {
    return (struct tw_binary){.bytes = (unsigned char *)text,
                              .size = strlen(text),
                              .has_resources = true,
                              .registers = 96,
                              .spill_bytes = 8};
}

static void put(struct tw_cache *cache, const char *key, const char *text) {
    struct tw_error error;
    struct tw_binary binary = binary_of(text);
    assert_int_equal(tw_cache_put(cache, key, &binary, "a label", &error), TW_OK);
}

static void path_of(const struct fixture *f, const char *key, char path[256]) {
    snprintf(path, 256, "%s/%s.twbin", f->directory, key);
}

static int files_in(const char *directory) {
    DIR *listing = opendir(directory);
    int count = 0;
    assert_non_null(listing);
    for (const struct dirent *e = readdir(listing); e != NULL; e = readdir(listing))
        count += e->d_name[0] != '.';
    closedir(listing);
    return count;
}

static void gives_back_what_was_put(void **state) {
    struct fixture *f = *state;
    struct tw_binary binary;
    assert_false(tw_cache_get(f->cache, f->key, &binary));
    put(f->cache, f->key, "machine code");
    assert_true(tw_cache_get(f->cache, f->key, &binary));
    assert_int_equal(binary.size, 12);
    assert_memory_equal(binary.bytes, "machine code", 12);
    assert_true(binary.has_resources);
    assert_int_equal(binary.registers, 96);
    assert_int_equal(binary.spill_bytes, 8);
    tw_binary_free(&binary);
    assert_int_equal(files_in(f->directory), 1);
}

static void key_depends_on_all_that_decides(void **state) {
    struct fixture *f = *state;
    struct tw_device_info other = device;
    char key[TW_HASH_SIZE];
    tw_cache_key(&device, "source2", "function", key);
    assert_string_not_equal(key, f->key);
    tw_cache_key(&device, "source", "function2", key);
    assert_string_not_equal(key, f->key);
    strcpy(other.architecture, "sm_80");
    tw_cache_key(&other, "source", "function", key);
    assert_string_not_equal(key, f->key);
    other = device;
    strcpy(other.compiler, "NVRTC 13.1");
    tw_cache_key(&other, "source", "function", key);
    assert_string_not_equal(key, f->key);
    other = device;
    strcpy(other.driver, "another"); /* a cubin runs with any driver that knows its architecture */
    tw_cache_key(&other, "source", "function", key);
    assert_string_equal(key, f->key);
    strcpy(other.backend, "opencl");
    other.arch = 0;
    char driver_key[TW_HASH_SIZE];
    tw_cache_key(&other, "source", "function", key);
    strcpy(other.driver, "a third");
    tw_cache_key(&other, "source", "function", driver_key);
    assert_string_not_equal(key, driver_key);
}

static void damage_at(const char *path, long offset) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, offset, offset < 0 ? SEEK_END : SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
    assert_int_not_equal(fputc(byte ^ 0x40, file), EOF);
    assert_int_equal(fclose(file), 0);
}

static void damaged_files_are_missing_and_removed(void **state) {
    struct fixture *f = *state;
    /* In the magic, the key, the content's hash, and the content. */
    const long places[] = {0, 12, 50, -1};
    char path[256];
    path_of(f, f->key, path);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct tw_binary binary;
        put(f->cache, f->key, "machine code");
        damage_at(path, places[i]);
        assert_false(tw_cache_get(f->cache, f->key, &binary));
        assert_int_not_equal(access(path, F_OK), 0);
    }
}

static void cut_short_and_foreign_files_are_missing(void **state) {
    struct fixture *f = *state;
    struct tw_binary binary;
    char path[256], other[256], key[TW_HASH_SIZE];
    path_of(f, f->key, path);
    put(f->cache, f->key, "machine code");
    assert_int_equal(truncate(path, 60), 0);
    assert_false(tw_cache_get(f->cache, f->key, &binary));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("something else altogether", file);
    fclose(file);
    assert_false(tw_cache_get(f->cache, f->key, &binary));
    /* A whole file under another's name is not that one's binary. */
    tw_cache_key(&device, "other", "function", key);
    put(f->cache, f->key, "machine code");
    path_of(f, key, other);
    assert_int_equal(rename(path, other), 0);
    assert_false(tw_cache_get(f->cache, key, &binary));
}

static void count_entry(void *context, const struct tw_cache_entry *entry) {
    assert_string_equal(entry->label, "a label");
    assert_true(entry->bytes > 0);
    ++*(int *)context;
}

static void the_limit_drops_what_was_used_longest_ago(void **state) {
    struct fixture *f = *state;
    struct tw_cache *small;
    struct tw_error error;
    char keys[4][TW_HASH_SIZE], path[256];
    struct stat info;
    put(f->cache, f->key, "machine code");
    path_of(f, f->key, path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(tw_cache_open(&small, f->directory, (uint64_t)info.st_size * 3, &error),
                     TW_OK);
    for (int i = 0; i < 4; i++) {
        char source[24];
        struct timespec times[2];
        snprintf(source, sizeof source, "source %d", i);
        tw_cache_key(&device, source, "function", keys[i]);
        put(small, keys[i], "machine code");
        path_of(f, keys[i], path);
        /* A file system's clock may be coarse; the order must not hang on it. */
        times[0] = times[1] = (struct timespec){.tv_sec = 1000000000 + i};
        if (i < 3)
            assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    int count = 0;
    assert_int_equal(tw_cache_each(small, count_entry, &count, &error), TW_OK);
    assert_int_equal(count, 3);
    struct tw_binary binary;
    assert_true(tw_cache_get(small, keys[3], &binary));
    tw_binary_free(&binary);
    assert_false(tw_cache_get(small, keys[0], &binary));
    tw_cache_close(small);
}

static void remembers_the_hashes_of_sources(void **state) {
    struct fixture *f = *state;
    struct tw_error error;
    char other[TW_HASH_SIZE], found[TW_HASH_SIZE], path[256];
    int64_t files, count = 0;
    uint64_t bytes;
    tw_cache_key(&device, "other", "function", other);
    assert_false(tw_cache_named(f->cache, f->key, found));
    tw_cache_name(f->cache, f->key, other);
    assert_true(tw_cache_named(f->cache, f->key, found));
    assert_string_equal(found, other);
    assert_false(tw_cache_named(f->cache, other, found));
    tw_cache_name(f->cache, f->key, other);
    assert_int_equal(files_in(f->directory), 1);
    /* What is no hash is put right. */
    snprintf(path, sizeof path, "%s/%s.twname", f->directory, f->key);
    static const char *const damaged[] = {"", "short", "0123456789abcdef0123456789ABCDEF",
                                          "0123456789abcdef0123456789abcdef0"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(unlink(path), 0);
        if (damaged[i][0] != '\0')
            assert_int_equal(symlink(damaged[i], path), 0);
        assert_false(tw_cache_named(f->cache, f->key, found));
        tw_cache_name(f->cache, f->key, other);
        assert_true(tw_cache_named(f->cache, f->key, found));
        assert_string_equal(found, other);
    }
    /* So is what is another's. */
    tw_cache_name(f->cache, f->key, f->key);
    assert_true(tw_cache_named(f->cache, f->key, found));
    assert_string_equal(found, f->key);
    /* They are no binaries to whoever lists or clears the directory. */
    put(f->cache, f->key, "machine code");
    assert_int_equal(tw_cache_each(f->cache, count_entry, &count, &error), TW_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tw_cache_clear(f->cache, &files, &bytes, &error), TW_OK);
    assert_int_equal(files, 1);
    assert_int_equal(files_in(f->directory), 0);
}

/* The newest binary is what the limit leaves, whatever is remembered besides. */
static void the_limit_is_of_links_too(void **state) {
    struct fixture *f = *state;
    struct tw_error error;
    struct tw_cache *small;
    struct tw_binary binary;
    char key[TW_HASH_SIZE], found[TW_HASH_SIZE];
    assert_int_equal(tw_cache_open(&small, f->directory, 1, &error), TW_OK);
    tw_cache_name(small, f->key, f->key);
    put(small, f->key, "machine code");
    assert_false(tw_cache_named(small, f->key, found));
    tw_cache_name(small, f->key, f->key);
    assert_true(tw_cache_get(small, f->key, &binary));
    tw_binary_free(&binary);
    tw_cache_key(&device, "other", "function", key);
    put(small, key, "machine code");
    assert_true(tw_cache_has(small, key) != tw_cache_has(small, f->key));
    tw_cache_close(small);
}

static void clearing_leaves_what_is_not_ours(void **state) {
    struct fixture *f = *state;
    struct tw_error error;
    char path[256];
    int64_t files;
    uint64_t bytes;
    put(f->cache, f->key, "machine code");
    const char *const names[] = {"notes.txt", "tmp-abcdef", "tmp-notes.txt"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", f->directory, names[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(tw_cache_clear(f->cache, &files, &bytes, &error), TW_OK);
    assert_int_equal(files, 2); /* the binary and the temporary that somebody left */
    assert_true(bytes > 0);
    assert_int_equal(files_in(f->directory), 2);
}

/* Writers and readers of one key at once: a reader sees a whole file of one of them, or none. */
static void many_processes_share_a_directory(void **state) {
    struct fixture *f = *state;
    enum { PROCESSES = 8, TURNS = 60 };
    pid_t children[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        assert_true(children[p] >= 0);
        if (children[p] != 0)
            continue;
        char text[4096];
        memset(text, 'a' + p, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        int wrong = 0;
        for (int t = 0; t < TURNS; t++) {
            struct tw_binary made = binary_of(text), found;
            wrong |= tw_cache_put(f->cache, f->key, &made, "a label", NULL) != TW_OK;
            if (!tw_cache_get(f->cache, f->key, &found)) {
                wrong = 1; /* nobody removes it, so it must be there */
                continue;
            }
            for (size_t i = 0; i < found.size; i++)
                wrong |= found.bytes[i] != found.bytes[0];
            tw_binary_free(&found);
        }
        _exit(wrong);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    assert_int_equal(files_in(f->directory), 1);
}

static void bad_directories_are_refused(void **state) {
    struct fixture *f = *state;
    struct tw_cache *cache;
    struct tw_error error;
    char path[256];
    snprintf(path, sizeof path, "%s/file", f->directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(tw_cache_open(&cache, path, 0, &error), TW_IO);
    assert_null(cache);
    assert_non_null(strstr(error.message, "no directory"));
    snprintf(path, sizeof path, "%s/file/below", f->directory);
    assert_int_equal(tw_cache_open(&cache, path, 0, &error), TW_IO);
    assert_int_equal(tw_cache_open(&cache, "", 0, &error), TW_INVALID);
    snprintf(path, sizeof path, "%s/a/b/c", f->directory);
    assert_int_equal(tw_cache_open(&cache, path, 0, &error), TW_OK);
    tw_cache_close(cache);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gives_back_what_was_put, set_up, tear_down),
        cmocka_unit_test_setup_teardown(key_depends_on_all_that_decides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_files_are_missing_and_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut_short_and_foreign_files_are_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_limit_drops_what_was_used_longest_ago, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(remembers_the_hashes_of_sources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_limit_is_of_links_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clearing_leaves_what_is_not_ours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_processes_share_a_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_directories_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
