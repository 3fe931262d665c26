/* The copy engine on several matrices at a stride: boxes of one of them, by maps with a dimension more. */

#if BATCHED || GROUPED || IM2COL || PLANES
HOPPER void load_layer_box(tw_u32 to, const tensor_map *map, tw_u32 barrier, int x, int y, int layer)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
                 "l"((tw_u64)map), "r"(barrier), "r"(x), "r"(y), "r"(layer)
                 : "memory");
}

HOPPER void load_layer_box_for(int blocks, tw_u32 to, const tensor_map *map, tw_u32 barrier, int x, int y,
                               int layer)
{
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
        "l"((tw_u64)map), "r"(barrier), "r"(x), "r"(y), "r"(layer), "h"((tw_u16)blocks)
        : "memory");
}

HOPPER void store_layer_box(const tensor_map *map, tw_u32 from, int x, int y, int layer)
{
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];\n"
        "cp.async.bulk.commit_group;" ::"l"((tw_u64)map),
        "r"(from), "r"(x), "r"(y), "r"(layer)
        : "memory");
}
#endif
