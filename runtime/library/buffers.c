/* Device memory for programs that want nothing else of the backend. */
#include "runtime/library/library.h"

static tw_status enter(tw_library *library, bool *entered, tw_error *error) {
    tw_status status = tw_library_given(library, error);
    return status == TW_OK ? library->backend->enter(library->device, entered, error) : status;
}

static struct tw_memory memory_of(const void *buffer, uint64_t bytes) {
    return (struct tw_memory){.address = (uintptr_t)buffer, .bytes = bytes};
}

tw_status tw_allocate(void **out, tw_library *library, uint64_t bytes, tw_error *error) {
    struct tw_memory memory;
    bool entered;
    if (out == NULL)
        return tw_fail(error, TW_INVALID, "tw_allocate: where the buffer is to go is NULL");
    *out = NULL;
    if (bytes == 0)
        return tw_fail(error, TW_INVALID, "a buffer has at least one byte");
    tw_status status = enter(library, &entered, error);
    if (status != TW_OK)
        return status;
    status = library->backend->allocate(library->device, bytes, &memory, error);
    library->backend->leave(library->device, entered);
    if (status == TW_OK)
        *out = (void *)(uintptr_t)memory.address;
    return status;
}

void tw_release(tw_library *library, void *buffer) {
    struct tw_memory memory = memory_of(buffer, 0);
    bool entered;
    if (library == NULL || buffer == NULL ||
        library->backend->enter(library->device, &entered, NULL) != TW_OK)
        return; /* the context is gone, and its memory with it */
    library->backend->release(library->device, &memory);
    library->backend->leave(library->device, entered);
}

/* What each backend has words of its own for, and some crash of. */
static tw_status check_ends(const char *call, const void *buffer, const void *bytes,
                            tw_error *error) {
    return buffer != NULL && bytes != NULL
               ? TW_OK
               : tw_fail(error, TW_INVALID, "%s: %s NULL", call,
                         buffer == NULL ? "the buffer is" : "the bytes are");
}

tw_status tw_write(tw_library *library, void *buffer, const void *bytes, uint64_t size,
                   tw_error *error) {
    const struct tw_memory memory = memory_of(buffer, size);
    bool entered;
    tw_status status = size > 0 ? check_ends("tw_write", buffer, bytes, error) : TW_OK;
    if (status == TW_OK)
        status = enter(library, &entered, error);
    if (status != TW_OK)
        return status;
    if (size > 0)
        status = library->backend->write(library->device, &memory, bytes, error);
    library->backend->leave(library->device, entered);
    return status;
}

tw_status tw_read(tw_library *library, void *stream, void *bytes, const void *buffer, uint64_t size,
                  tw_error *error) {
    const struct tw_memory memory = memory_of(buffer, size);
    bool entered;
    tw_status status = size > 0 ? check_ends("tw_read", buffer, bytes, error) : TW_OK;
    if (status == TW_OK)
        status = enter(library, &entered, error);
    if (status != TW_OK)
        return status;
    status = library->backend->wait(library->device, stream, error);
    if (status == TW_OK && size > 0)
        status = library->backend->read(library->device, &memory, bytes, error);
    library->backend->leave(library->device, entered);
    return status;
}

tw_status tw_wait(tw_library *library, void *stream, tw_error *error) {
    bool entered;
    tw_status status = enter(library, &entered, error);
    if (status != TW_OK)
        return status;
    status = library->backend->wait(library->device, stream, error);
    library->backend->leave(library->device, entered);
    return status;
}
