/* Which operand is which, and which tile a block has.
 *
 * wgmma takes 64 rows of one operand and any number of columns of the other, so a C with few rows is computed
 * as its transpose (SWAP): its rows are then the columns of the tile. `rows` and `columns` below are the
 * tile's, not C's. */

#if SWAP
#define ROWS_ACROSS_K ACROSS_B
#define COLUMNS_ACROSS_K ACROSS_A
#define ROWS_TYPE TYPE_OF_B
#define COLUMNS_TYPE TYPE_OF_A
#else
#define ROWS_ACROSS_K ACROSS_A
#define COLUMNS_ACROSS_K ACROSS_B
#define ROWS_TYPE TYPE_OF_A
#define COLUMNS_TYPE TYPE_OF_B
#endif

#define WARPGROUP 128
#define PINGPONG (SCHEDULE == SCHEDULE_pingpong)
#define STAGED (STORE == STORE_staged)
/* Blocks of a cluster either share operands or divide K. */
#define SHARERS (CLUSTER_M * CLUSTER_N)
#define CLUSTER (SHARERS * SPLIT)
/* Accumulators of 64 rows that a warpgroup keeps. */
#define TALL (PINGPONG ? BM / 64 : BM / 64 / CONSUMERS)

struct place {
    int row, column; /* of the cluster's tiles, in elements */
#if BATCHED || GROUPED
    int layer;
#endif
#if GROUPED
    int end; /* of the group's rows of C */
#endif
};

/* Clusters in flight at one time should share rows and columns that fit in the L2 cache: they are numbered
 * down columns of `group` of them (as Triton's matrix multiplication tutorial does). With ORDER_serpentine every other
 * strip of such columns is gone through from its end, and with ORDER_columns strips are `group` columns wide. */
#if GROUPED
/* A group, its first row, and the clusters' tiles before it. */
struct cursor {
    int group, first, before;
};

/* Clusters' tiles of a group of so many rows of C, which is N wide. */
TW_DEVICE int group_tiles(int lines, int N)
{
    return ((SWAP ? N : lines) + BM * CLUSTER_M - 1) / (BM * CLUSTER_M) *
           (((SWAP ? lines : N) + BN * CLUSTER_N - 1) / (BN * CLUSTER_N));
}

TW_DEVICE int group_end(TW_GLOBAL const int *ends, const struct cursor *cursor, int M)
{
    return min(max(ends[cursor->group], cursor->first), M);
}

TW_DEVICE void next_group(struct cursor *cursor, int end, int N)
{
    cursor->before += group_tiles(end - cursor->first, N);
    cursor->first = end;
    cursor->group++;
}

/* All tiles of all groups. */
TW_DEVICE int tile_count(TW_GLOBAL const int *ends, int M, int N)
{
    struct cursor cursor = {0, 0, 0};
    while (cursor.group < GROUPS)
        next_group(&cursor, group_end(ends, &cursor, M), N);
    return cursor.before;
}

/* A tile of those that there are, none before the cursor's group, to which the cursor goes on. */
TW_DEVICE struct place place_of(int tile, int M, int N, int group, TW_GLOBAL const int *ends,
                                struct cursor *cursor)
{
    int end = group_end(ends, cursor, M);
    while (tile - cursor->before >= group_tiles(end - cursor->first, N)) {
        next_group(cursor, end, N);
        end = group_end(ends, cursor, M);
    }
    tile -= cursor->before;
    const int rows = SWAP ? N : end - cursor->first, columns = SWAP ? end - cursor->first : N;
    const int tiles_m = (rows + BM * CLUSTER_M - 1) / (BM * CLUSTER_M);
    const int tiles_n = (columns + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
    const int tall = group < tiles_m ? group : tiles_m;
    const int first = tile / (tall * tiles_n) * tall;
    const int height = tiles_m - first < tall ? tiles_m - first : tall;
    const int within = tile % (tall * tiles_n);
    struct place place;
    place.row = (first + within % height) * BM * CLUSTER_M + (SWAP ? 0 : cursor->first);
    place.column = within / height * BN * CLUSTER_N + (SWAP ? cursor->first : 0);
    place.layer = cursor->group;
    place.end = end;
    return place;
}
#elif SYMMETRIC
/* Of the lower triangle alone, see aat/wgmma_places.cu. */
TW_DEVICE struct place place_of(int tile, int rows, int columns, int group)
{
    struct place place;
    place_in_triangle(tile, rows, group, &place.row, &place.column);
    return place;
}
#else
TW_DEVICE struct place place_of(int tile, int rows, int columns, int group)
{
    const int tiles_m = (rows + BM * CLUSTER_M - 1) / (BM * CLUSTER_M);
    const int tiles_n = (columns + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
#if BATCHED
    const int layer = tile / (tiles_m * tiles_n);
    tile %= tiles_m * tiles_n;
#endif
#if ORDER == ORDER_columns
    const int wide = group < tiles_n ? group : tiles_n;
    const int first = tile / (wide * tiles_m) * wide;
    const int width = tiles_n - first < wide ? tiles_n - first : wide;
    const int within = tile % (wide * tiles_m);
    struct place place;
    place.row = within / width * BM * CLUSTER_M;
    place.column = (first + within % width) * BN * CLUSTER_N;
#else
    const int tall = group < tiles_m ? group : tiles_m;
    const int first = tile / (tall * tiles_n) * tall;
    const int height = tiles_m - first < tall ? tiles_m - first : tall;
    const int within = tile % (tall * tiles_n);
    struct place place;
    place.row = (first + within % height) * BM * CLUSTER_M;
#if ORDER == ORDER_serpentine
    place.column = (first / tall % 2 ? tiles_n - 1 - within / height : within / height) * BN * CLUSTER_N;
#else
    place.column = within / height * BN * CLUSTER_N;
#endif
#endif
#if BATCHED
    place.layer = layer;
#endif
    return place;
}

TW_DEVICE int tile_count(int rows, int columns)
{
    return ((rows + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)) *
           ((columns + BN * CLUSTER_N - 1) / (BN * CLUSTER_N));
}
#endif

/* A block's share of the work: whole tiles, or of one tile a part of K. */
struct share {
    int first, step, tiles;  /* clusters' tiles */
    int step_first, steps;   /* of K */
    int part;                /* of SPLIT */
    int rank_m, rank_n;      /* place in the cluster's tiles */
#if BLOCK_SCALED || PLANES
    int all_k;
#endif
#if BATCHED || GROUPED
    int layer;               /* that is being loaded */
#endif
};

#if GROUPED
TW_DEVICE struct share share_of(int M, int N, int K, TW_GLOBAL const int *ends)
#else
TW_DEVICE struct share share_of(int rows, int columns, int K)
#endif
{
    const int rank = CLUSTER > 1 ? cluster_rank() : 0;
    const int all = K / STEP + (K % STEP != 0);
    struct share share;
#if BLOCK_SCALED || PLANES
    share.all_k = K;
#endif
    share.part = SPLIT > 1 ? rank : 0;
    share.rank_m = SPLIT > 1 ? 0 : rank % CLUSTER_M;
    share.rank_n = SPLIT > 1 ? 0 : rank / CLUSTER_M;
    share.first = (int)blockIdx.x / CLUSTER;
    share.step = (int)gridDim.x / CLUSTER;
#if GROUPED
    share.tiles = tile_count(ends, M, N);
    share.layer = 0;
#else
    share.tiles = tile_count(rows, columns);
#endif
#if BATCHED
    share.tiles *= BATCH;
    share.layer = 0;
#endif
    share.step_first = (int)((tw_index)all * share.part / SPLIT);
    share.steps = (int)((tw_index)all * (share.part + 1) / SPLIT) - share.step_first;
    return share;
}

/* A ring of stages in shared memory, and which of their uses is meant. */
struct ring {
    int stage;
    tw_u32 phase;
};

TW_DEVICE void ring_skip(struct ring *ring, int steps)
{
    const int to = ring->stage + steps;
    ring->phase ^= (tw_u32)(to / STAGES) & 1;
    ring->stage = to % STAGES;
}

TW_DEVICE void ring_next(struct ring *ring)
{
    if (++ring->stage == STAGES) {
        ring->stage = 0;
        ring->phase ^= 1;
    }
}

/* Shared memory: stages of rows, stages of columns, what is to be stored, barriers. */
#define ROWS_AT(stage) (base + (stage) * ROWS_BYTES)
#define COLUMNS_AT(stage) (base + STAGES * ROWS_BYTES + (stage) * COLUMNS_BYTES)
#define STORE_AT (base + STAGES * (ROWS_BYTES + COLUMNS_BYTES))
#define BARRIERS_AT (base + BARRIERS_OFFSET)
#define FULL(stage) (BARRIERS_AT + (stage) * 8)
#define EMPTY(stage) (BARRIERS_AT + (STAGES + (stage)) * 8)
/* Of a consumer, when consumers take turns. */
#define TURN(consumer) (BARRIERS_AT + (2 * STAGES + (consumer)) * 8)

/* A stage may be filled again when every consumer in the cluster that has a copy is done with its own. */
TW_DEVICE void release_stage(tw_u32 empty)
{
    const int thread = (int)threadIdx.x % WARPGROUP;
#if SHARERS > 1
    if (thread < SHARERS)
        barrier_arrive_at(empty, thread);
#else
    if (thread == 0)
        barrier_arrive(empty);
#endif
}
