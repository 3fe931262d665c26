/* How blocks that sum up parts of a tile know when all parts have come, and which slices of the tile they add: see
 * wgmma_parts.cu. A test includes this as C. */

#define SLICE 16 /* columns of a tile that a block adds at a time */
#define SLICES (BN / SLICE)

/* Looks at a tile's state until a block leaves: some three microseconds. */
#define PATIENCE 8

/* The state of a tile: how many parts have come, how many slices are taken, and that both are counted. Nothing is zero
 * when a launch begins, but whoever is last takes the state away, and what else lies there are numbers: no arithmetic
 * makes these bits, which are a NaN of every floating type. */
#define COME ((tw_u64)1)
#define TAKEN ((tw_u64)1 << 12)
#define COUNTED ((tw_u64)0xFFF5FFE3A9000000)
#define PARTS_COME(state) ((int)((state) % TAKEN))
#define SLICES_TAKEN(state) ((int)((state) / TAKEN % TAKEN))
#define IS_COUNTED(state) ((state) >> 24 == COUNTED >> 24)

#define STATE_OF(tile) atomicAdd((tile), (tw_u64)0)

/* Every block begins with this, so that it is done before any has come. */
TW_DEVICE void begin_counting(TW_GLOBAL tw_u64 *tile)
{
    const tw_u64 state = STATE_OF(tile);
    if (!IS_COUNTED(state))
        atomicCAS(tile, state, COUNTED);
}

/* One more part has come. Whether all have, or do while one may wait. */
TW_DEVICE int all_have_come(TW_GLOBAL tw_u64 *tile, int parts)
{
    tw_u64 state = atomicAdd(tile, COME) + COME;
    for (int look = 0; look < PATIENCE && IS_COUNTED(state) && PARTS_COME(state) < parts; look++)
        state = STATE_OF(tile);
    return IS_COUNTED(state) && PARTS_COME(state) == parts;
}

/* A slice that nobody else has; -1: none is left. */
TW_DEVICE int take_slice(TW_GLOBAL tw_u64 *tile)
{
    const tw_u64 state = atomicAdd(tile, TAKEN);
    if (!IS_COUNTED(state) || SLICES_TAKEN(state) >= SLICES)
        return -1;
    if (SLICES_TAKEN(state) == SLICES - 1)
        atomicExch(tile, (tw_u64)0);
    return SLICES_TAKEN(state);
}
