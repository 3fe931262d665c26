/* Tiles by cp.async: global to shared memory with no registers between and nothing to do on arrival,
 * with as many tiles on the way as there are stages (PTX ISA, "cp.async"; sm_80 and later). An operand
 * that is turned on the way goes element by element, which costs more instructions and no bandwidth:
 * neighbouring lanes still read neighbouring addresses. */

#if STAGING == STAGING_async
TW_DEVICE tw_u32 shared_address(const void *pointer)
{
    return (tw_u32)__cvta_generic_to_shared(pointer);
}

/* Zeros where nothing is `there`: k beyond the end must be zero, as it feeds elements that exist. */
TW_DEVICE void copy_async(tw_u32 to, const real *from, const int bytes, int there)
{
    const int read = there ? bytes : 0;
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read)
                     : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(read)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(read)
                     : "memory");
}

/* Columns beyond the operand only feed elements of C that do not exist. Clamped, their lanes all copy the same
 * bytes, 16 of which take up to five times as long as others on an H200, so that of a narrow operand, where that is
 * much of each tile, they are left out. */
#define SKIPS_COLUMNS ((NARROW_M && TRANS_A) || (NARROW_N && !TRANS_B))

/* Sends this thread's share of a tile on its way, given where its first vector comes from and goes. */
TW_DEVICE void copy_tile(tw_u32 to, const real *first, int stride, int tid, int last, int k_left,
                         const int row, const int turned, const int lines, const int length,
                         const int vec, const int k_contiguous, const int edge, const int partial)
{
    const int edge_line = edge && k_contiguous;
    const int edge_column = edge && !k_contiguous;
    const int line_0 = pass_line(tid, 0, length, vec);
    const int column_0 = pass_column(tid, 0, length, vec);
    TW_UNROLL
    for (int pass = 0; pass < PASSES(lines, length, vec); pass++) {
        if (!pass_covered(tid, pass, lines, length, vec))
            continue;
        const int line = pass_line(tid, pass, length, vec);
        const int column = pass_column(tid, pass, length, vec);
#if SKIPS_COLUMNS
        if (edge_column && column > last)
            continue;
#endif
        const tile_offset down = clamped(line, last, edge_line) - clamped(line_0, last, edge_line);
        const int along = clamped(column, last, edge_column) - clamped(column_0, last, edge_column);
        const int place = turned ? (column - column_0) * row + line - line_0
                                 : (line - line_0) * row + column - column_0;
        copy_async(to + place * (int)sizeof(real), first + (down * stride + along),
                   vec * (int)sizeof(real),
                   !partial || (k_contiguous ? column : line) < k_left);
    }
}

/* From here on: the steps of the pipeline in product.cu, which has the names. */

#define DECLARE_STAGED()

#define COPY(offset, partial)                                                                    \
    do {                                                                                         \
        copy_tile(shared_address(to_a + (offset)), from_a, lda, tid, last_a, left, ROW_A, TURN_A, \
                  SHAPE_A, !TRANS_A, EDGE_M, partial);                                           \
        copy_tile(shared_address(to_b + (offset)), from_b, ldb, tid, last_b, left, ROW_B, TURN_B, \
                  SHAPE_B, TRANS_B, EDGE_N, partial);                                            \
    } while (0)
/* Only the last tile can be partial. What is committed counts, a tile or none, so that the number of
 * groups tells which tiles are there. */
#define BRING_FIRST(stage)                                                                       \
    do {                                                                                         \
        if (EDGE_K && left < BK && left > 0)                                                     \
            COPY((stage)*STAGE, 1);                                                              \
        else if (left > 0)                                                                       \
            COPY((stage)*STAGE, 0);                                                              \
        asm volatile("cp.async.commit_group;" ::: "memory");                                     \
    } while (0)
#define SET_OUT() BRING_FIRST(0)

/* The tile after the one being multiplied is there for all threads; LEAD - 1 may still be coming. */
#define ARRIVE()                                                                                 \
    do {                                                                                         \
        asm volatile("cp.async.wait_group %0;" ::"n"(LEAD - 1) : "memory");                      \
        __syncthreads();                                                                         \
    } while (0)
#define AWAIT_FIRST() ARRIVE()
#define ARRIVES_LATE 0
#endif
