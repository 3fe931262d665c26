/* The order of a matrix's tiles: which of them this block has. */

/* Where a block's tile begins, and how many rows and columns from there lie inside the matrix. */
typedef struct {
    int row, column;
    int height, width;
} area;

/* Of tiles of tile_m x tile_n elements, of which a block reads `rows` rows, tile_m or a few more. */
TW_DEVICE area find_area(int M, int N, const int tile_m, const int tile_n, const int rows)
{
    const int id = (int)blockIdx.x;
    const int tiles_y = (M - 1) / tile_m + 1;
    const int tiles_x = (N - 1) / tile_n + 1;
#if ORDER == ORDER_cartesian
    const int y = id / tiles_x;
    const int x = id % tiles_x;
#elif ORDER == ORDER_columns
    const int y = id % tiles_y;
    const int x = id / tiles_y;
#elif ORDER == ORDER_diagonal
    /* Blocks that run together read different tile columns and write different tile rows. */
    const int y = id % tiles_y;
    const int x = (int)(((tw_index)(id / tiles_y) + y) % tiles_x);
#else
    /* By columns, but every second row of tiles half the matrix on: not all of many rows a large power of
     * two apart are then read at one place, and where the matrices lie in an H200's memory matters less. */
    const int y = id % tiles_y;
    const int x = (id / tiles_y + y % 2 * (tiles_x / 2)) % tiles_x;
#endif
    area at;
    at.row = y * tile_m;
    at.column = x * tile_n;
    at.height = min(rows, M - at.row);
    at.width = min(tile_n, N - at.column);
    return at;
}
