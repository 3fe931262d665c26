#include "runtime/backend/opencl/built.h"

#include <pthread.h>
#include <stdbool.h>

#include "runtime/base/hash.h"

/* A variant is compiled as a whole before it is loaded, so this is several of its kernels. */
enum { KEPT = 8 };

static struct {
    pthread_mutex_t lock;
    cl_context contexts[TW_OPENCL_MAX_DEVICES]; /* of open devices, by number; NULL: none */
    struct built {
        cl_context context;
        cl_program program; /* NULL: free */
        uint64_t hash;
        size_t size;
    } built[KEPT];
    int next; /* the one to go */
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

void tw_opencl_built_open(int index, cl_context context) {
    pthread_mutex_lock(&kept.lock);
    if (kept.contexts[index] == NULL)
        kept.contexts[index] = context;
    pthread_mutex_unlock(&kept.lock);
}

void tw_opencl_built_close(const struct tw_opencl *cl, cl_context context) {
    pthread_mutex_lock(&kept.lock);
    for (int i = 0; i < TW_OPENCL_MAX_DEVICES; i++)
        if (kept.contexts[i] == context)
            kept.contexts[i] = NULL;
    for (int i = 0; i < KEPT; i++)
        if (kept.built[i].program != NULL && kept.built[i].context == context) {
            cl->program_release(kept.built[i].program);
            kept.built[i] = (struct built){0};
        }
    pthread_mutex_unlock(&kept.lock);
}

cl_context tw_opencl_built_context(const struct tw_opencl *cl, int index) {
    pthread_mutex_lock(&kept.lock);
    cl_context context = kept.contexts[index];
    if (context != NULL && cl->context_retain(context) != CL_SUCCESS)
        context = NULL;
    pthread_mutex_unlock(&kept.lock);
    return context;
}

static bool is_open(cl_context context) {
    for (int i = 0; i < TW_OPENCL_MAX_DEVICES; i++)
        if (kept.contexts[i] == context)
            return true;
    return false;
}

void tw_opencl_built_keep(const struct tw_opencl *cl, cl_context context, const void *bytes,
                          size_t size, cl_program program) {
    cl_program gone = program; /* of a device that was closed meanwhile */
    pthread_mutex_lock(&kept.lock);
    if (is_open(context)) {
        struct built *place = &kept.built[kept.next];
        kept.next = (kept.next + 1) % KEPT;
        gone = place->program;
        *place = (struct built){context, program, tw_hash64(bytes, size), size};
    }
    pthread_mutex_unlock(&kept.lock);
    if (gone != NULL)
        cl->program_release(gone);
}

cl_program tw_opencl_built_take(cl_context context, const void *bytes, size_t size) {
    const uint64_t hash = tw_hash64(bytes, size);
    cl_program program = NULL;
    pthread_mutex_lock(&kept.lock);
    for (int i = 0; i < KEPT && program == NULL; i++) {
        struct built *built = &kept.built[i];
        if (built->program == NULL || built->context != context || built->size != size ||
            built->hash != hash)
            continue;
        program = built->program;
        *built = (struct built){0};
    }
    pthread_mutex_unlock(&kept.lock);
    return program;
}
