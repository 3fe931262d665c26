/* Barriers in shared memory that count threads and bytes (PTX ISA, mbarrier), and clusters of blocks. A
 * barrier's phases alternate in parity; a wait names the parity of the phase that must be over. */

/* Not every kernel needs every one. */
#define HOPPER TW_DEVICE __attribute__((unused))

/* Blocks of 1024 bytes are what swizzles count from. */
extern __shared__ __align__(1024) unsigned char tw_shared_bytes[];

HOPPER tw_u32 shared_address(const void *pointer)
{
    return (tw_u32)__cvta_generic_to_shared(pointer);
}

HOPPER void barrier_init(tw_u32 barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* After the inits, before another thread or the copy engine uses them. */
HOPPER void barriers_initialised(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and has the phase wait for so many bytes. */
HOPPER void barrier_expect(tw_u32 barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

HOPPER void barrier_arrive(tw_u32 barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* At the barrier of that place in another block of the cluster. */
HOPPER void barrier_arrive_at(tw_u32 barrier, int block)
{
    asm volatile("{.reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(barrier),
                 "r"(block)
                 : "memory");
}

HOPPER void barrier_wait(tw_u32 barrier, tw_u32 parity)
{
    tw_u32 done;
    do {
        asm volatile("{.reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!done);
}

HOPPER int cluster_rank(void)
{
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Every thread of every block of the cluster. */
HOPPER void cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
