/* How the threads of a block share out one operand's tile of a BK step on its way from global to shared
 * memory. staged.cu and async.cu are the two ways there. Every argument but the pointers, strides and
 * limits is a compile-time constant. */

#define THREADS (TW_BLOCK_X)

/* A tile is `lines` lines of `length` elements that are contiguous in global memory, taken in
 * vectors of `vec`. A pass of all threads covers several lines, or part of one. */
#define VECTORS(length, vec) ((length) / (vec))
#define LINES_PER_PASS(length, vec) (THREADS / VECTORS(length, vec))
#define PASSES_PER_LINE(length, vec) ((VECTORS(length, vec) + THREADS - 1) / THREADS)
#define PASSES(lines, length, vec)                                                               \
    (VECTORS(length, vec) <= THREADS                                                             \
         ? ((lines) + LINES_PER_PASS(length, vec) - 1) / LINES_PER_PASS(length, vec)             \
         : (lines)*PASSES_PER_LINE(length, vec))

/* Offsets inside a tile are 32 bits wide where they fit: half the registers, half the adds. */
#if WIDE
typedef tw_index tile_offset;
#else
typedef int tile_offset;
#endif

/* Where this thread's vector of a pass lies in the tile. */
TW_DEVICE int pass_line(int tid, int pass, const int length, const int vec)
{
    return VECTORS(length, vec) <= THREADS
               ? tid / VECTORS(length, vec) + pass * LINES_PER_PASS(length, vec)
               : pass / PASSES_PER_LINE(length, vec);
}

TW_DEVICE int pass_column(int tid, int pass, const int length, const int vec)
{
    return vec * (VECTORS(length, vec) <= THREADS
                      ? tid % VECTORS(length, vec)
                      : tid + pass % PASSES_PER_LINE(length, vec) * THREADS);
}

/* Whether it lies in it at all: a constant wherever the threads divide the tile evenly. */
TW_DEVICE int pass_covered(int tid, int pass, const int lines, const int length, const int vec)
{
    if (VECTORS(length, vec) > THREADS)
        return VECTORS(length, vec) % THREADS == 0 || pass_column(tid, pass, length, vec) < length;
    if (THREADS % VECTORS(length, vec) != 0 &&
        tid >= LINES_PER_PASS(length, vec) * VECTORS(length, vec))
        return 0;
    return lines % LINES_PER_PASS(length, vec) == 0 || pass_line(tid, pass, length, vec) < lines;
}

/* A line or column beyond `last` (edge tiles) is read from `last` instead: it only feeds elements
 * of C that do not exist. */
TW_DEVICE int clamped(int place, int last, const int edge)
{
    return edge && place > last ? last : place;
}

/* Where a thread's first vector lies, counted from the tile's first element. `k_contiguous`: k runs
 * along the lines, and not across them. */
TW_DEVICE tw_index first_vector(int stride, int tid, int last, const int length, const int vec,
                                const int k_contiguous, const int edge)
{
    const int line = clamped(pass_line(tid, 0, length, vec), last, edge && k_contiguous);
    const int column = clamped(pass_column(tid, 0, length, vec), last, edge && !k_contiguous);
    return (tw_index)line * stride + column;
}

/* Where a thread's first element goes in the shared tile, whose rows are `row` elements long. The
 * tile holds the lines as they came, or `turned`: a line of global memory becomes a column. */
TW_DEVICE int first_place(int tid, const int row, const int turned, const int length,
                          const int vec)
{
    const int line = pass_line(tid, 0, length, vec);
    const int column = pass_column(tid, 0, length, vec);
    return turned ? column * row + line : line * row + column;
}
