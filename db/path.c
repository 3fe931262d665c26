/* The path: what it names, what is missing on the way to it, what file system it is on. */
#define _POSIX_C_SOURCE 200809L

#include "db/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

/* SQLite reads "file:..." and ":memory:" as more than file names. */
char *tw_db_path_plain(const char *path) {
    bool special = path[0] == ':' || strncmp(path, "file:", 5) == 0;
    size_t size = strlen(path) + 3;
    char *plain = malloc(size);
    if (plain != NULL) {
        snprintf(plain, size, "%s%s", special ? "./" : "", path);
    }
    return plain;
}

enum tw_db_status tw_db_path_check(tw_db *db, bool *exists) {
    struct stat info;
    *exists = stat(db->path, &info) == 0;
    if (!*exists) {
        return errno == ENOENT ? TW_DB_OK : tw_db_fail_system(db, errno, "open");
    }
    if (S_ISDIR(info.st_mode)) {
        return tw_db_fail(db, TW_DB_CANNOT_OPEN, "is a directory, not a file");
    }
    if (!S_ISREG(info.st_mode)) {
        return tw_db_fail(db, TW_DB_CANNOT_OPEN, "is not a regular file");
    }
    return TW_DB_OK;
}

enum tw_db_status tw_db_path_make_parents(tw_db *db) {
    for (char *slash = strchr(db->path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int error = mkdir(db->path, 0777) == 0 ? 0 : errno;
        /* An existing parent may be reported as unwritable rather than existing. */
        struct stat info;
        bool is_there = error != 0 && stat(db->path, &info) == 0 && S_ISDIR(info.st_mode);
        *slash = '/';
        if (error != 0 && !is_there) {
            return tw_db_fail_system(db, error, "make its directory");
        }
    }
    return TW_DB_OK;
}

enum tw_db_status tw_db_path_check_parent(tw_db *db) {
    char *slash = strrchr(db->path, '/');
    const char *parent = slash != NULL ? db->path : ".";
    if (slash != NULL) {
        *slash = '\0';
    }
    int error =
        faccessat(AT_FDCWD, parent[0] != '\0' ? parent : "/", W_OK, AT_EACCESS) == 0 ? 0 : errno;
    if (slash != NULL) {
        *slash = '/';
    }
    return error == 0 ? TW_DB_OK : tw_db_fail_system(db, error, "make a file in its directory");
}

#ifdef __linux__
bool tw_db_path_is_shared(const char *path) {
    /* A WAL's index is shared memory, which two machines do not share: on a network mount SQLite
     * would accept WAL and two hosts would damage the file. FUSE may be anything, so it counts. */
    static const unsigned long types[] = {
        0x6969,     /* NFS */
        0x517B,     /* SMB */
        0xFF534D42, /* CIFS */
        0xFE534D42, /* SMB2 */
        0x01021997, /* 9P */
        0x0BD00BD0, /* Lustre */
        0x00C36400, /* Ceph */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x5346414F, /* AFS */
        0x73757245, /* Coda */
        0x65735546, /* FUSE */
    };
    struct statfs info;
    if (statfs(path, &info) != 0) {
        return false;
    }
    unsigned long type = (unsigned long)info.f_type & 0xFFFFFFFFUL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (type == types[i]) {
            return true;
        }
    }
    return false;
}
#else
bool tw_db_path_is_shared(const char *path) {
    (void)path;
    return false;
}
#endif
