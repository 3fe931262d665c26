#include "runtime/library/paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tw_path_absolute(struct tw_text *path, const char *given) {
    char here[PATH_MAX];
    if (given[0] != '/' && getcwd(here, sizeof here) != NULL)
        tw_text_print(path, "%s/", here);
    tw_text_print(path, "%s", given);
}

/* The XDG base directory specification: variables that hold no absolute path are ignored. */
static void base_directory(struct tw_text *path, const char *variable, const char *under_home,
                           const char *rest) {
    const char *base = getenv(variable);
    const char *home = getenv("HOME");
    if (base != NULL && base[0] == '/')
        tw_text_print(path, "%s/%s", base, rest);
    else if (home != NULL && home[0] == '/')
        tw_text_print(path, "%s/%s/%s", home, under_home, rest);
}

void tw_path_user_database(struct tw_text *path) {
    base_directory(path, "XDG_DATA_HOME", ".local/share", "tilewise/tilewise.db");
}

void tw_path_binaries(struct tw_text *path) {
    base_directory(path, "XDG_CACHE_HOME", ".cache", "tilewise");
}

/* The prefix may be one or two folders above the library's own: lib/ or lib/x86_64-linux-gnu/. */
static bool find_installed(struct tw_text *path, const char *relative, int mode) {
    char file[PATH_MAX];
    Dl_info info;
    if (dladdr((void *)tw_path_user_database, &info) == 0 || info.dli_fname == NULL)
        return false;
    /* Linked into a program that was found on the PATH, the name alone says nothing. */
    if (realpath(strchr(info.dli_fname, '/') != NULL ? info.dli_fname : "/proc/self/exe", file) ==
        NULL)
        return false;
    for (int level = 0; level < 3; level++) {
        char *slash = strrchr(file, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
        char candidate[PATH_MAX + 64];
        strcat(strcat(strcpy(candidate, file), "/"), relative);
        if (level > 0 && access(candidate, mode) == 0) {
            tw_text_print(path, "%s", candidate);
            return true;
        }
    }
    return false;
}

void tw_path_system_database(struct tw_text *path) {
    (void)find_installed(path, "share/tilewise/tilewise.db", R_OK);
}

void tw_path_tune(struct tw_text *path) {
    if (!find_installed(path, "bin/tune", X_OK))
        tw_text_print(path, "tune");
}
