/* Patches of the matrix in registers: pieces of rows, one below the other, and turning them. */

/* A whole piece, `wide` elements at a time: more than one access where the stride wants it. */
TW_DEVICE void load_piece(tw_u32 *words, TW_GLOBAL const element *p, int wide)
{
    if (wide * ESIZE < 4 && wide < PIECE) {
        load_part(words, p, PIECE, PIECE);
    } else {
        TW_UNROLL
        for (int i = 0; i < PIECE; i += wide)
            load_global(words + i * ESIZE / 4, p + i, wide * ESIZE);
    }
}

TW_DEVICE void store_piece(TW_GLOBAL element *p, const tw_u32 *words, int wide)
{
    if (wide * ESIZE < 4 && wide < PIECE) {
        store_part(p, words, PIECE, PIECE);
    } else {
        TW_UNROLL
        for (int i = 0; i < PIECE; i += wide)
            store_global(p + i, words + i * ESIZE / 4, wide * ESIZE);
    }
}

/* Two words shuffled into one, bytes low to high: the halves and the bytes of each that meet when
 * blocks of 2 by 2 trade their corners. */
#if defined(TW_CUDA)
#define LOW_HALVES(x, y) __byte_perm(x, y, 0x5410)
#define HIGH_HALVES(x, y) __byte_perm(x, y, 0x7632)
#define EVEN_BYTES(x, y) __byte_perm(x, y, 0x6240)
#define ODD_BYTES(x, y) __byte_perm(x, y, 0x7351)
#else
#define LOW_HALVES(x, y) (((x) & 0xffff) | (y) << 16)
#define HIGH_HALVES(x, y) ((x) >> 16 | ((y) & 0xffff0000))
#define EVEN_BYTES(x, y) (((x) & 0xff00ff) | ((y) & 0xff00ff) << 8)
#define ODD_BYTES(x, y) (((x) >> 8 & 0xff00ff) | ((y) & 0xff00ff00))
#endif

/* `rows` pieces of `columns` elements become `columns` runs of `rows` elements. */
TW_DEVICE void turn(tw_u32 *runs, const tw_u32 *pieces, int rows, int columns)
{
    int per_piece = WORDS_OF(columns);
    int per_run = WORDS_OF(rows);
#if ESIZE == 1
    if (rows % 4 == 0 && columns % 4 == 0) {
        TW_UNROLL
        for (int j = 0; j < per_run; j++) {
            TW_UNROLL
            for (int i = 0; i < per_piece; i++) {
                const tw_u32 *from = pieces + 4 * j * per_piece + i;
                tw_u32 *to = runs + 4 * i * per_run + j;
                tw_u32 even_low = LOW_HALVES(from[0], from[2 * per_piece]);
                tw_u32 even_high = HIGH_HALVES(from[0], from[2 * per_piece]);
                tw_u32 odd_low = LOW_HALVES(from[per_piece], from[3 * per_piece]);
                tw_u32 odd_high = HIGH_HALVES(from[per_piece], from[3 * per_piece]);
                to[0] = EVEN_BYTES(even_low, odd_low);
                to[per_run] = ODD_BYTES(even_low, odd_low);
                to[2 * per_run] = EVEN_BYTES(even_high, odd_high);
                to[3 * per_run] = ODD_BYTES(even_high, odd_high);
            }
        }
        return;
    }
#elif ESIZE == 2
    if (rows % 2 == 0 && columns % 2 == 0) {
        TW_UNROLL
        for (int j = 0; j < per_run; j++) {
            TW_UNROLL
            for (int i = 0; i < per_piece; i++) {
                const tw_u32 *from = pieces + 2 * j * per_piece + i;
                tw_u32 *to = runs + 2 * i * per_run + j;
                to[0] = LOW_HALVES(from[0], from[per_piece]);
                to[per_run] = HIGH_HALVES(from[0], from[per_piece]);
            }
        }
        return;
    }
#endif
    TW_UNROLL
    for (int i = 0; i < columns; i++) {
        TW_UNROLL
        for (int w = 0; w < per_run; w++)
            runs[i * per_run + w] = 0;
        TW_UNROLL
        for (int j = 0; j < rows; j++)
            put_element(runs + i * per_run, j, get_element(pieces + j * per_piece, i));
    }
}
