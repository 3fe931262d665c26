/* Which tile of the lower triangle a cluster has, where gemm's fill a rectangle (wgmma_tiles.cu); those that meet the
 * diagonal are computed whole. Either height or width of the clusters' tiles is a multiple of the other. */

#define CLUSTER_ROWS (BM * CLUSTER_M)
#define CLUSTER_COLUMNS (BN * CLUSTER_N)
/* Tiles in the width of a tile's height, and the other way round; one of them is 1. */
#define IN_HEIGHT (CLUSTER_ROWS > CLUSTER_COLUMNS ? CLUSTER_ROWS / CLUSTER_COLUMNS : 1)
#define IN_WIDTH (CLUSTER_COLUMNS > CLUSTER_ROWS ? CLUSTER_COLUMNS / CLUSTER_ROWS : 1)

/* Tiles in so many rows of tiles, none of which ends outside of C. */
TW_DEVICE int tiles_in(int lines)
{
    const int bands = lines / IN_WIDTH, more = lines % IN_WIDTH;
    return IN_HEIGHT * (IN_WIDTH * (bands * (bands + 1) / 2) + more * (bands + 1));
}

/* Tiles of a row of tiles. */
TW_DEVICE int tiles_across(int line, int rows)
{
    return (min((line + 1) * CLUSTER_ROWS, rows) + CLUSTER_COLUMNS - 1) / CLUSTER_COLUMNS;
}

TW_DEVICE int tile_count(int rows, int columns)
{
    const int last = (rows - 1) / CLUSTER_ROWS;
    return tiles_in(last) + tiles_across(last, columns);
}

/* As many tiles as `group` rows of tiles have are numbered down their columns, for the sake of the L2 cache. */
TW_DEVICE void place_in_triangle(int tile, int rows, int group, int *row, int *column)
{
    const int last = (rows - 1) / CLUSTER_ROWS;
    /* The row of tiles, if they were numbered row by row: the root is near, and the loops make it exact. */
    int line = (int)sqrtf(2.0f * (float)tile * IN_WIDTH / IN_HEIGHT);
    while (tiles_in(line) > tile)
        line--;
    while (line < last && tiles_in(line + 1) <= tile)
        line++;
    const int first = line / group * group, end = min(first + group, last + 1);
    const int whole = tiles_across(first, rows); /* columns that all of these rows have */
    tile -= tiles_in(first);
    if (tile < whole * (end - first)) {
        *row = (first + tile % (end - first)) * CLUSTER_ROWS;
        *column = tile / (end - first) * CLUSTER_COLUMNS;
        return;
    }
    tile -= whole * (end - first);
    int across = whole, top = across * CLUSTER_COLUMNS / CLUSTER_ROWS;
    while (tile >= end - top) {
        tile -= end - top;
        across++;
        top = across * CLUSTER_COLUMNS / CLUSTER_ROWS;
    }
    *row = (top + tile) * CLUSTER_ROWS;
    *column = across * CLUSTER_COLUMNS;
}
