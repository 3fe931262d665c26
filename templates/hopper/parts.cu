/* Parts of the same sums, in the same place of shared memory: of the blocks of a cluster (SPLIT), or only one's. */

#if SPLIT > 1
TW_DEVICE __attribute__((unused)) int own_part(void)
{
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
#define OWN_PART own_part()

/* Every thread of every block that has a part. */
#define PARTS_SYNC()                                                                                       \
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory")
#define PARTS_LOAD "mapa.shared::cluster.u32 there, %4, %5;\nld.shared::cluster.v4.u32"
#else
#define OWN_PART 0
#define PARTS_SYNC() __syncthreads()
#define PARTS_LOAD "mov.u32 there, %4;\nld.shared.v4.u32"
#endif

/* Sixteen bytes of a block's part. */
TW_DEVICE __attribute__((unused)) void read_part(tw_u32 words[4], tw_u32 at, int part)
{
    asm volatile("{.reg .b32 there;\n" PARTS_LOAD " {%0, %1, %2, %3}, [there];}"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(at), "r"(part)
                 : "memory");
}
