/* Products of the rows of A in groups, each with a matrix of B of its own: ends[g] is the row of A and C behind the
 * last one of group g, and where group g+1 begins. A list that descends or passes M names no rows twice and none that
 * are not there; rows that are in no group are left as they are. In the place of batch.cu. */

#define BATCHED 0
#define GROUPED 1
/* Behind all other parameters. */
#define BATCH_PARAMETERS , TW_GLOBAL const int *TW_RESTRICT ends, int stride_b

/* The group of a row, GROUPS where it has none. */
TW_DEVICE int group_of(TW_GLOBAL const int *ends, int row)
{
    int group = 0;
    while (group < GROUPS && row >= ends[group])
        group++;
    return group;
}

struct group {
    int number;
    int first, rows; /* of A and C; no rows, behind the last: there are no more tiles */
    int tile;        /* of those of the group */
};

/* The group of a tile, where tiles have `tall` rows and `wide` of them lie beside each other; those of a group are
 * numbered one after the other. */
TW_DEVICE struct group group_of_tile(TW_GLOBAL const int *ends, int tile, int tall, int wide, int M)
{
    struct group group;
    group.first = 0;
    group.rows = 0;
    group.tile = tile;
    for (group.number = 0; group.number < GROUPS; group.number++) {
        const int end = min(max(ends[group.number], group.first), M);
        const int tiles = ((end - group.first) / tall + ((end - group.first) % tall != 0)) * wide;
        if (group.tile < tiles) {
            group.rows = end - group.first;
            return group;
        }
        group.tile -= tiles;
        group.first = end;
    }
    group.number = 0;
    group.first = M;
    group.tile = 0;
    return group;
}

#if HAS_BIASES
#define BIASES_TO_GROUP() biases += (tw_index)group.number * N
#else
#define BIASES_TO_GROUP()
#endif
/* A block behind the last tile has nothing to do. PoCL 3 makes wrong code of a return before barriers, though all
 * take it; there such a block reads the last row and stores nothing. */
#if TW_CUDA
#define LEAVE_WITHOUT_TILE()                                                                     \
    if (group.rows == 0)                                                                         \
    return
#else
#define LEAVE_WITHOUT_TILE()
#endif
/* First in a kernel's body, of which the matrices are then its group's alone. */
#define TO_GROUP(tall, wide)                                                                     \
    const struct group group = group_of_tile(ends, (int)blockIdx.x, tall, wide, M);              \
    LEAVE_WITHOUT_TILE();                                                                        \
    A += OFFSET_A(group.first, 0);                                                               \
    B += (tw_index)group.number * stride_b;                                                      \
    C += (tw_index)group.first * ldc;                                                            \
    BIASES_TO_GROUP();                                                                           \
    M = group.rows
