/* The copy engine: boxes of a matrix to shared memory and back, by tensor maps (PTX ISA,
 * cp.async.bulk.tensor). What lies outside the matrix reads as zero and is not written. */

typedef struct __align__(64) {
    tw_u64 words[16];
} tensor_map;

HOPPER void fetch_map(const tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"((tw_u64)map) : "memory");
}

/* One thread asks; the bytes arrive at the barrier. */
HOPPER void load_box(tw_u32 to, const tensor_map *map, tw_u32 barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"((tw_u64)map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

/* To the same place in every block of the cluster whose bit is set, and at its barrier there. */
HOPPER void load_box_for(int blocks, tw_u32 to, const tensor_map *map, tw_u32 barrier, int x, int y)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"((tw_u64)map), "r"(barrier), "r"(x), "r"(y), "h"((tw_u16)blocks)
        : "memory");
}

/* After the threads that wrote the box have met. */
HOPPER void store_box(const tensor_map *map, tw_u32 from, int x, int y)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];\n"
        "cp.async.bulk.commit_group;" ::"l"((tw_u64)map),
        "r"(from), "r"(x), "r"(y)
        : "memory");
}

/* What ordinary stores wrote to shared memory becomes visible to the copy engine; each thread that wrote. */
HOPPER void wrote_for_copy(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Waits until at most `n` of the thread's stores still read shared memory, or are under way at all. */
#define STORES_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
#define STORES_DONE() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
