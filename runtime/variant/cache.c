#include "runtime/variant/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".twbin"
#define NAME_SUFFIX ".twname" /* of links */

enum { PATH_BYTES = 4096, LABEL_BYTES = 256 };

/* What a file begins with; the binary follows. */
struct header {
    char magic[8]; /* with a version in it */
    char key[TW_HASH_SIZE];
    char content_hash[TW_HASH_SIZE]; /* of the binary */
    char label[LABEL_BYTES];
    uint64_t size; /* of the binary */
    int64_t registers, spill_bytes;
    uint8_t has_resources;
};

static const char MAGIC[8] = "TWBIN01";

struct tw_cache {
    uint64_t limit;
    char directory[PATH_BYTES];
};

struct file {
    char name[TW_HASH_SIZE + sizeof NAME_SUFFIX];
    bool temporary; /* being written, or left behind by a process that was killed */
    bool is_link;   /* what is remembered of a source */
    uint64_t bytes;
    int64_t used_at;
};

#define TEMPORARY "tmp-"
enum { TEMPORARY_NAME = 10, ABANDONED_SECONDS = 3600 };

static tw_status make_directories(const char *path, struct tw_error *error) {
    char part[PATH_BYTES];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; at[-1] != '\0'; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char end = *at;
        *at = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return tw_fail(error, TW_IO, "%s: cannot be created: %s", part, strerror(errno));
        *at = end;
    }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return tw_fail(error, TW_IO, "%s: is no directory; the binary cache needs one", path);
    return TW_OK;
}

tw_status tw_cache_open(struct tw_cache **out, const char *directory, uint64_t limit,
                        struct tw_error *error) {
    *out = NULL;
    if (directory[0] == '\0' || strlen(directory) + sizeof(struct file) + 32 >= PATH_BYTES)
        return tw_fail(error, TW_INVALID, "\"%.100s\" is no usable cache directory", directory);
    tw_status status = make_directories(directory, error);
    if (status != TW_OK)
        return status;
    struct tw_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    cache->limit = limit != 0 ? limit : TW_CACHE_LIMIT;
    strcpy(cache->directory, directory);
    *out = cache;
    return TW_OK;
}

void tw_cache_close(struct tw_cache *cache) {
    free(cache);
}

void tw_cache_key(const struct tw_device_info *device, const char *source, const char *function,
                  char key[TW_HASH_SIZE]) {
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add_text(hash, TW_VERSION);
    tw_hash_add_text(hash, device->backend);
    tw_hash_add_text(hash, device->architecture);
    tw_hash_add_text(hash, device->compiler);
    /* An OpenCL binary belongs to its device and driver; a cubin runs on its architecture with any.
     */
    if (device->arch == 0) {
        tw_hash_add_text(hash, device->name);
        tw_hash_add_text(hash, device->driver);
    }
    tw_hash_add_text(hash, function);
    tw_hash_add_text(hash, source);
    tw_hash_finish(hash, key);
}

static void content_hash(const void *bytes, size_t size, char hash[TW_HASH_SIZE]) {
    struct tw_hash *state = tw_hash_begin();
    tw_hash_add(state, bytes, size);
    tw_hash_finish(state, hash);
}

static void path_of(const struct tw_cache *cache, const char *key, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%.3900s/%.32s%s", cache->directory, key, SUFFIX);
}

/* Whether the header is one of ours, for this file and of this length. */
static bool header_fits(const struct header *header, const char *key, uint64_t file_bytes) {
    return memcmp(header->magic, MAGIC, sizeof MAGIC) == 0 &&
           memchr(header->label, '\0', sizeof header->label) != NULL &&
           memcmp(header->key, key, TW_HASH_SIZE) == 0 &&
           file_bytes == sizeof *header + header->size;
}

static bool read_whole(int fd, void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = read(fd, (char *)bytes + done, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static bool read_binary(int fd, const char *key, struct tw_binary *binary) {
    struct header header;
    struct stat info;
    char hash[TW_HASH_SIZE];
    if (fstat(fd, &info) != 0 || !read_whole(fd, &header, sizeof header) ||
        !header_fits(&header, key, (uint64_t)info.st_size))
        return false;
    unsigned char *bytes = malloc(header.size > 0 ? header.size : 1);
    if (bytes == NULL || !read_whole(fd, bytes, header.size)) {
        free(bytes);
        return false;
    }
    content_hash(bytes, header.size, hash);
    if (memcmp(hash, header.content_hash, sizeof hash) != 0) {
        free(bytes);
        return false;
    }
    *binary = (struct tw_binary){.bytes = bytes,
                                 .size = header.size,
                                 .has_resources = header.has_resources != 0,
                                 .registers = header.registers,
                                 .spill_bytes = header.spill_bytes};
    return true;
}

bool tw_cache_has(const struct tw_cache *cache, const char *key) {
    char path[PATH_BYTES];
    path_of(cache, key, path);
    return access(path, R_OK) == 0;
}

bool tw_cache_get(struct tw_cache *cache, const char *key, struct tw_binary *binary) {
    char path[PATH_BYTES];
    *binary = (struct tw_binary){0};
    path_of(cache, key, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool whole = read_binary(fd, key, binary);
    /* The file's time is when it was used last. A read-only cache cannot remember that, and need
     * not. */
    if (whole)
        (void)!futimens(fd, NULL);
    close(fd);
    if (!whole)
        unlink(path);
    return whole;
}

/* ---- What is remembered of sources ---- */

static void link_of(const struct tw_cache *cache, const char *brief, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%.3900s/%.32s%s", cache->directory, brief, NAME_SUFFIX);
}

static bool is_hash(const char *text) {
    return strspn(text, "0123456789abcdef") >= TW_HASH_SIZE - 1;
}

/* In between there is none, for which a source is rendered once more. */
void tw_cache_name(struct tw_cache *cache, const char *brief, const char *source) {
    char path[PATH_BYTES], there[TW_HASH_SIZE];
    if (tw_cache_named(cache, brief, there) && strcmp(there, source) == 0)
        return;
    link_of(cache, brief, path);
    unlink(path);
    (void)!symlink(source, path);
}

bool tw_cache_named(const struct tw_cache *cache, const char *brief, char source[TW_HASH_SIZE]) {
    char path[PATH_BYTES], target[TW_HASH_SIZE + 1];
    link_of(cache, brief, path);
    if (readlink(path, target, sizeof target) != TW_HASH_SIZE - 1)
        return false;
    target[TW_HASH_SIZE - 1] = '\0';
    memcpy(source, target, TW_HASH_SIZE);
    return is_hash(source);
}

/* ---- Writing ---- */

static bool is_temporary_name(const char *name) {
    return strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0 && strlen(name) == TEMPORARY_NAME;
}

static bool is_cache_name(const char *name, const char *suffix) {
    return strspn(name, "0123456789abcdef") == TW_HASH_SIZE - 1 &&
           strcmp(name + TW_HASH_SIZE - 1, suffix) == 0;
}

static int newest_first(const void *left, const void *right) {
    const struct file *a = left, *b = right;
    if (a->used_at != b->used_at)
        return a->used_at > b->used_at ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* The cache's files, newest first. The caller frees *files. */
static tw_status list_files(const struct tw_cache *cache, struct file **files, size_t *count,
                            struct tw_error *error) {
    *files = NULL;
    *count = 0;
    DIR *directory = opendir(cache->directory);
    if (directory == NULL)
        return tw_fail(error, TW_IO, "%s: cannot be read: %s", cache->directory, strerror(errno));
    tw_status status = TW_OK;
    const struct dirent *entry;
    while (status == TW_OK && (entry = readdir(directory)) != NULL) {
        struct stat info;
        bool temporary = is_temporary_name(entry->d_name);
        bool is_link = is_cache_name(entry->d_name, NAME_SUFFIX);
        if (!(temporary || is_link || is_cache_name(entry->d_name, SUFFIX)) ||
            fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        struct file *grown = realloc(*files, (*count + 1) * sizeof **files);
        if (grown == NULL) {
            status = tw_fail(error, TW_NO_MEMORY, "out of memory");
            break;
        }
        *files = grown;
        struct file *file = &grown[(*count)++];
        memcpy(file->name, entry->d_name, strlen(entry->d_name) + 1);
        file->temporary = temporary;
        file->is_link = is_link;
        file->bytes = (uint64_t)info.st_size;
        file->used_at = info.st_mtim.tv_sec;
    }
    closedir(directory);
    if (status == TW_OK && *count > 0)
        qsort(*files, *count, sizeof **files, newest_first);
    return status;
}

/* 0, or the error's number. */
static int remove_file(const struct tw_cache *cache, const struct file *file) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%.3900s/%s", cache->directory, file->name);
    return unlink(path) == 0 ? 0 : errno;
}

static tw_status keep_to_limit(const struct tw_cache *cache, struct tw_error *error) {
    struct file *files;
    size_t count;
    uint64_t total = 0;
    tw_status status = list_files(cache, &files, &count, error);
    int64_t now = (int64_t)time(NULL);
    bool is_first = true; /* of binaries */
    for (size_t i = 0; i < count; i++) {
        bool abandoned = files[i].temporary && now - files[i].used_at > ABANDONED_SECONDS;
        /* The newest stays whatever its size: it is the one that was just made. */
        bool stays = files[i].temporary || (is_first && !files[i].is_link);
        total += files[i].bytes;
        if (abandoned || (total > cache->limit && !stays))
            remove_file(cache, &files[i]);
        is_first = is_first && (files[i].temporary || files[i].is_link);
    }
    free(files);
    return status;
}

static bool write_whole(int fd, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = write(fd, (const char *)bytes + done, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

tw_status tw_cache_put(struct tw_cache *cache, const char *key, const struct tw_binary *binary,
                       const char *label, struct tw_error *error) {
    struct header header;
    memset(&header, 0, sizeof header); /* padding too: it goes to the file */
    header.size = binary->size;
    header.registers = binary->registers;
    header.spill_bytes = binary->spill_bytes;
    header.has_resources = binary->has_resources;
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    snprintf(header.key, sizeof header.key, "%s", key);
    snprintf(header.label, sizeof header.label, "%s", label);
    content_hash(binary->bytes, binary->size, header.content_hash);
    char path[PATH_BYTES], temporary[PATH_BYTES];
    path_of(cache, key, path);
    snprintf(temporary, sizeof temporary, "%.3900s/" TEMPORARY "XXXXXX", cache->directory);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return tw_fail(error, TW_IO, "%s: cannot be written to: %s", cache->directory,
                       strerror(errno));
    bool written = write_whole(fd, &header, sizeof header) &&
                   write_whole(fd, binary->bytes, binary->size) && fchmod(fd, 0644) == 0;
    int reason = errno;
    /* A full disk may show only when the file is closed. */
    if (close(fd) != 0) {
        reason = errno;
        written = false;
    }
    if (written && rename(temporary, path) != 0) {
        reason = errno;
        written = false;
    }
    if (!written) {
        unlink(temporary);
        return tw_fail(error, TW_IO, "%s: cannot be written: %s", path, strerror(reason));
    }
    return keep_to_limit(cache, error);
}

/* ---- Looking and clearing ---- */

tw_status tw_cache_each(struct tw_cache *cache,
                        void (*visit)(void *context, const struct tw_cache_entry *entry),
                        void *context, struct tw_error *error) {
    struct file *files;
    size_t count;
    tw_status status = list_files(cache, &files, &count, error);
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        char path[PATH_BYTES];
        struct header header;
        if (files[i].temporary || files[i].is_link)
            continue;
        snprintf(path, sizeof path, "%.3900s/%s", cache->directory, files[i].name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) /* somebody else removed it */
            continue;
        char key[TW_HASH_SIZE];
        memcpy(key, files[i].name, TW_HASH_SIZE - 1);
        key[TW_HASH_SIZE - 1] = '\0';
        if (read_whole(fd, &header, sizeof header) && header_fits(&header, key, files[i].bytes)) {
            const struct tw_cache_entry entry = {.key = key,
                                                 .label = header.label,
                                                 .bytes = files[i].bytes,
                                                 .used_at = files[i].used_at};
            visit(context, &entry);
        }
        close(fd);
    }
    free(files);
    return status;
}

tw_status tw_cache_clear(struct tw_cache *cache, int64_t *removed, uint64_t *bytes,
                         struct tw_error *error) {
    struct file *files;
    size_t count;
    *removed = 0;
    *bytes = 0;
    tw_status status = list_files(cache, &files, &count, error);
    for (size_t i = 0; i < count; i++) {
        int reason = remove_file(cache, &files[i]);
        /* Another process may have been faster. */
        if (reason != 0 && reason != ENOENT && status == TW_OK)
            status = tw_fail(error, TW_IO, "%s: %s cannot be removed: %s", cache->directory,
                             files[i].name, strerror(reason));
        if (reason != 0 || files[i].is_link)
            continue;
        ++*removed;
        *bytes += files[i].bytes;
    }
    free(files);
    return status;
}
