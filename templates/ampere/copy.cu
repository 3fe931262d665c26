/* Copies from global to shared memory that go on while the block computes (PTX ISA, cp.async; sm_80 and later). */

#ifndef AMPERE
/* Not every kernel needs every one. */
#define AMPERE TW_DEVICE __attribute__((unused))
#endif

/* `bytes` are 16, 8 or 4, a constant; of these the first `there` are copied and the others become zero. */
AMPERE void copy_async(tw_u32 to, const void *from, const int bytes, int there)
{
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there)
                     : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(there)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(there)
                     : "memory");
}

/* Closes a group of copies, which may be empty. */
#define COPIES_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
/* Waits until at most `n` of this thread's groups are under way. */
#define COPIES_WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
