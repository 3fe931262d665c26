/* Operands that are matrices, and the copies of a step of K. */

/* An operand's tiles: how they lie in memory, and how much of them is there. */
struct operand {
    TW_GLOBAL const ELEMENT *from; /* of this thread, in the next tile */
    int stride, left;              /* rows, or columns, that are there */
};

TW_DEVICE void operand_begin(struct operand *operand, int k, int x, const int along_k, const int tile,
                             const int width)
{
    operand->from += along_k ? (tw_index)x * operand->stride + k : (tw_index)k * operand->stride + x;
    operand->from += first_piece(operand->stride, along_k ? BK : tile, width);
    operand->left -= x;
}

TW_DEVICE void operand_copy(struct operand *operand, tw_u32 to, int k_left, const int along_k, const int tile,
                            const int width, const int edge)
{
    const int lines_left = along_k ? operand->left : k_left, length_left = along_k ? k_left : operand->left;
    const int lines = along_k ? tile : BK, length = along_k ? BK : tile;
    if (k_left > 0 && width < 4)
        copy_elements(to, operand->from, operand->stride, lines_left, length_left, lines, length, along_k);
    else if (k_left > 0)
        copy_tile(to, operand->from, operand->stride, lines_left, length_left, lines, length, along_k, width, edge);
    operand->from += along_k ? BK : (tw_index)BK * operand->stride;
}

/* One step's tiles of both operands. `k_left` is what is left of K, and may be none. */
#define COPY_STAGE(stage, rows, columns, k_left)                                                           \
    do {                                                                                                   \
        operand_copy(rows, stage, k_left, ROWS_ALONG_K, BM, WIDTH_ROWS, EDGE_ROWS || EDGE_K);              \
        operand_copy(columns, (stage) + ROWS_BYTES, k_left, COLUMNS_ALONG_K, BN, WIDTH_COLUMNS,            \
                     EDGE_COLUMNS || EDGE_K);                                                              \
        COPIES_COMMIT();                                                                                   \
    } while (0)
