#include "tools/bench_library/counters.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

static _Thread_local struct counters counters;

struct counters counters_now(void) {
    return counters;
}

/* glibc's own, under its other name: looking it up with dlsym would allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) {
    counters.allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    counters.allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    counters.allocations++;
    return __libc_realloc(memory, size);
}

#define NEXT(function) (__typeof__(&function))dlsym(RTLD_NEXT, #function)

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static __typeof__(&pthread_mutex_lock) next;
    if (next == NULL)
        next = NEXT(pthread_mutex_lock);
    counters.locks++;
    return next(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    static __typeof__(&pthread_rwlock_rdlock) next;
    if (next == NULL)
        next = NEXT(pthread_rwlock_rdlock);
    counters.locks++;
    return next(lock);
}

int sqlite3_step(sqlite3_stmt *statement) {
    static __typeof__(&sqlite3_step) next;
    if (next == NULL)
        next = NEXT(sqlite3_step);
    counters.statements++;
    return next(statement);
}
