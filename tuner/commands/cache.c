/* tune cache: the binaries that applications keep between processes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/printable.h"
#include "runtime/library/paths.h"
#include "runtime/variant/cache.h"
#include "tuner/commands/arguments.h"
#include "tuner/commands/command.h"

static const char help[] =
    "tune cache list [--directory DIR]    the compiled kernels kept on disk, the last used first\n"
    "tune cache clear [--directory DIR]   remove them\n"
    "\n"
    "Applications keep what they compiled, so that the next process need not. The directory is\n"
    "tilewise/ under XDG_CACHE_HOME, or ~/.cache, unless an application names another. Links\n"
    "beside them (.twname) say which source each is of, and go with them. Clearing costs no more\n"
    "than compiling again.\n"
    "\n"
    "  --directory DIR      the directory\n";

/* Looking makes no directory: *cache is NULL when nothing was ever kept. */
static tw_status open_cache(const struct arguments *a, struct tw_cache **cache,
                            struct tw_error *error) {
    struct tw_text path = {0};
    struct stat info;
    tw_status status = TW_OK;
    if (a->directory != NULL)
        tw_text_print(&path, "%s", a->directory);
    else
        tw_path_binaries(&path);
    if (path.data == NULL)
        status = tw_fail(error, TW_INVALID, "no home directory to look in; give --directory DIR");
    else if (stat(path.data, &info) == 0)
        status = command_names_file(tw_cache_open(cache, path.data, 0, error), error);
    else if (a->directory != NULL || errno != ENOENT)
        status =
            tw_fail(error, TW_INVALID, "%s: cannot be looked at: %s", path.data, strerror(errno));
    tw_text_free(&path);
    return status;
}

struct listing {
    int64_t count;
    uint64_t bytes;
};

static void print_entry(void *context, const struct tw_cache_entry *entry) {
    struct listing *listing = context;
    char when[32] = "";
    time_t used = (time_t)entry->used_at;
    struct tm local;
    if (localtime_r(&used, &local) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    tw_printable_line(stdout, "%-16s %8.1f KB  %s", when, (double)entry->bytes * 1e-3,
                      entry->label);
    listing->count++;
    listing->bytes += entry->bytes;
}

static tw_status list(struct tw_cache *cache, struct tw_error *error) {
    struct listing listing = {0};
    tw_status status = cache != NULL ? tw_cache_each(cache, print_entry, &listing, error) : TW_OK;
    if (status == TW_OK)
        printf("%" PRId64 " kernel%s, %.1f MB\n", listing.count, listing.count == 1 ? "" : "s",
               (double)listing.bytes * 1e-6);
    return status;
}

static tw_status clear(struct tw_cache *cache, struct tw_error *error) {
    int64_t files = 0;
    uint64_t bytes = 0;
    tw_status status = cache != NULL ? tw_cache_clear(cache, &files, &bytes, error) : TW_OK;
    if (status == TW_OK)
        printf("removed %" PRId64 " file%s, %.1f MB\n", files, files == 1 ? "" : "s",
               (double)bytes * 1e-6);
    return status;
}

static tw_status run(const char *verb, const struct arguments *a, struct tw_error *error) {
    struct tw_cache *cache = NULL;
    if (strcmp(verb, "list") != 0 && strcmp(verb, "clear") != 0)
        return tw_fail(error, TW_INVALID, "tune cache has no \"%s\"; it has list and clear", verb);
    if (a->kernel != NULL)
        return tw_fail(error, TW_INVALID, "unexpected \"%s\"; see tune cache --help", a->kernel);
    tw_status status = open_cache(a, &cache, error);
    if (status == TW_OK)
        status = verb[0] == 'l' ? list(cache, error) : clear(cache, error);
    tw_cache_close(cache);
    return status;
}

int command_cache(int count, char **words) {
    struct arguments arguments;
    struct tw_error error;
    if (count < 2 || arguments_ask_help(words[1])) {
        fputs(help, stdout);
        return count < 2 ? EXIT_USAGE : EXIT_FINE;
    }
    tw_status status = arguments_parse(&arguments, count - 1, words + 1, OPTION(DIRECTORY), &error);
    if (status == TW_OK && arguments.help)
        fputs(help, stdout);
    else if (status == TW_OK)
        status = run(words[1], &arguments, &error);
    arguments_free(&arguments);
    return status == TW_OK ? EXIT_FINE : command_failed(status, &error);
}
