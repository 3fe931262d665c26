/* The copy engine on images: some channels of so many pixels, one after the other in a window of every image, by
 * maps in im2col mode (PTX ISA, cp.async.bulk.tensor). (w, h) is where the filter begins over the first pixel, which
 * padding may put before the image, and (right, down) how far from there the place of the filter is that is meant. What
 * lies outside of the images reads as zero. */

HOPPER void load_pixels(tw_u32 to, const tensor_map *map, tw_u32 barrier, int c, int w, int h, int n, int right,
                        int down)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to),
                 "l"((tw_u64)map), "r"(barrier), "r"(c), "r"(w), "r"(h), "r"(n), "h"((tw_u16)right),
                 "h"((tw_u16)down)
                 : "memory");
}

/* To the same place in every block of the cluster whose bit is set, and at its barrier there. */
HOPPER void load_pixels_for(int blocks, tw_u32 to, const tensor_map *map, tw_u32 barrier, int c, int w, int h, int n,
                            int right, int down)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8}, %9;" ::"r"(to),
                 "l"((tw_u64)map), "r"(barrier), "r"(c), "r"(w), "r"(h), "r"(n), "h"((tw_u16)right),
                 "h"((tw_u16)down), "h"((tw_u16)blocks)
                 : "memory");
}
