/* How blocks that sum up parts of a tile know when all parts have come, and which slices of the tile they add: see
 * wgmma_parts.cu. A test includes this as C. */

#define SLICE 16 /* columns of a tile that a block adds at a time */
#define SLICES (BN / SLICE)

/* Looks at a tile's state until a block leaves: some three microseconds. */
#define PATIENCE 8

/* The state of a tile, zero when a launch begins: how many parts have come, how many slices were asked for, and how many
 * blocks left without asking. Who asks and finds none left is done, as who leaves is, and the last of a tile's blocks
 * that is done makes it zero again. */
#define COME ((tw_u32)1)
#define TAKEN ((tw_u32)1 << 10)
#define LEFT ((tw_u32)1 << 20)
#define PARTS_COME(state) ((int)((state) % TAKEN))
#define SLICES_TAKEN(state) ((int)((state) / TAKEN % 1024))
#define BLOCKS_LEFT(state) ((int)((state) / LEFT))

/* A block is done with a tile and has left it in this state. */
TW_DEVICE void be_done(TW_GLOBAL tw_u32 *tile, tw_u32 state, int parts)
{
    if (SLICES_TAKEN(state) - SLICES + BLOCKS_LEFT(state) == parts)
        atomicExch(tile, (tw_u32)0);
}

/* One more part has come. Whether all have, or do while one may wait; if not, the block is done. */
TW_DEVICE int all_have_come(TW_GLOBAL tw_u32 *tile, int parts)
{
    tw_u32 state = atomicAdd(tile, COME) + COME;
    for (int look = 0; look < PATIENCE && PARTS_COME(state) < parts; look++)
        state = atomicAdd(tile, (tw_u32)0);
    if (PARTS_COME(state) == parts)
        return 1;
    be_done(tile, atomicAdd(tile, LEFT) + LEFT, parts);
    return 0;
}

/* A slice that nobody else has; -1: none is left, and the block is done. */
TW_DEVICE int take_slice(TW_GLOBAL tw_u32 *tile, int parts)
{
    const tw_u32 state = atomicAdd(tile, TAKEN) + TAKEN;
    if (SLICES_TAKEN(state) <= SLICES)
        return SLICES_TAKEN(state) - 1;
    be_done(tile, state, parts);
    return -1;
}
