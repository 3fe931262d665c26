/* What a block holds of an image, and of the filters, where pixels have few channels: words of four bytes, each of two
 * channels of 16 bits, the last with a zero where they are odd, or of one of f32. Its tile is TILE_H x TILE_W results of one
 * image by BN filters; the window is the rectangle of the image that these see. */

#define THREADS (TW_BLOCK_X)
#define ELEMENT_BYTES ((int)sizeof(ELEMENT))
#define WORD_CHANNELS (4 / ELEMENT_BYTES)

#define PIXEL_WORDS ((GROUP_CHANNELS + WORD_CHANNELS - 1) / WORD_CHANNELS)
#define WINDOW_H ((TILE_H - 1) * STRIDE_H + (FILTER_R - 1) * DILATION_H + 1)
#define WINDOW_W ((TILE_W - 1) * STRIDE_W + (FILTER_S - 1) * DILATION_W + 1)
#define WINDOW_WORDS (WINDOW_H * WINDOW_W * PIXEL_WORDS)
#define WINDOW_TURNS ((WINDOW_WORDS + THREADS - 1) / THREADS)

/* Terms of a sum, as words in the order of a filter in memory, and how many times an instruction's eight they are. Lines of
 * filters are four words longer, so that eight of them begin in different banks. */
#define TERM_WORDS (FILTER_R * FILTER_S * PIXEL_WORDS)
#define STEPS ((TERM_WORDS + 7) / 8)
#define FILTER_WORDS (STEPS * 8 + 4)

/* A warp has TALL times sixteen neighbours in a row of results, and all filters of the tile. */
#define TALL (TILE_H * TILE_W / 16 / WARPS)
#define ACROSS (BN / 16)

/* Neighbours in a pixel of the results that a lane has: as columns of the tile it is given filters that make them
 * sixteen bytes. */
#define RUN (BN / 4 < 16 / ELEMENT_BYTES ? BN / 4 : 16 / ELEMENT_BYTES)
#define FILTER_OF(column) \
    ((column) / (4 * RUN) * (4 * RUN) + (column) % 8 / 2 * RUN + (column) / 8 % (RUN / 2) * 2 + (column) % 2)

/* Of an image. */
#define TILES_W ((RESULT_W + TILE_W - 1) / TILE_W)
#define TILES_H ((RESULT_H + TILE_H - 1) / TILE_H)

/* Where a tile begins. */
struct tile {
    int image, top, left;
};

TW_DEVICE struct tile tile_of(int i)
{
    struct tile tile;
    tile.image = i / (TILES_W * TILES_H);
    tile.top = i / TILES_W % TILES_H * TILE_H;
    tile.left = i % TILES_W * TILE_W;
    return tile;
}

/* From a result's pixel in the window to one of its terms, in words. */
TW_DEVICE int term_away(int word)
{
    const int place = word / PIXEL_WORDS;
    return (place / FILTER_S * DILATION_H * WINDOW_W + place % FILTER_S * DILATION_W) * PIXEL_WORDS + word % PIXEL_WORDS;
}

/* The channels of a word, from the first on; tensor cores would cut off what tf32 has no bits for. */
TW_DEVICE tw_u32 word_from(TW_GLOBAL const ELEMENT *from, int word)
{
#if !SMALL
    tw_u32 bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(from[word]));
    return bits;
#elif PAIRED
    return ((TW_GLOBAL const tw_u32 *)from)[word];
#else
    const tw_u32 low = from[word * 2];
    return GROUP_CHANNELS % 2 != 0 && word == PIXEL_WORDS - 1 ? low : low | (tw_u32)from[word * 2 + 1] << 16;
#endif
}

/* Word i of a tile's window; what falls on the padding is zero. */
TW_DEVICE tw_u32 window_word(TW_GLOBAL const ELEMENT *images, struct tile tile, int i)
{
    const int pixel = i / PIXEL_WORDS;
    const int y = tile.top * STRIDE_H - PAD_H + pixel / WINDOW_W, x = tile.left * STRIDE_W - PAD_W + pixel % WINDOW_W;
    if (i >= WINDOW_WORDS || (tw_u32)y >= (tw_u32)IMAGE_H || (tw_u32)x >= (tw_u32)IMAGE_W)
        return 0;
    return word_from(images + ((tile.image * IMAGE_H + y) * IMAGE_W + x) * LD_IN, i % PIXEL_WORDS);
}

/* What this thread brings of a tile's window: AHEAD, while the tile before is multiplied, to registers. */
#if AHEAD
TW_DEVICE void window_load(tw_u32 words[WINDOW_TURNS], TW_GLOBAL const ELEMENT *images, struct tile tile)
{
    TW_UNROLL
    for (int turn = 0; turn < WINDOW_TURNS; turn++)
        words[turn] = window_word(images, tile, turn * THREADS + (int)threadIdx.x);
}

TW_DEVICE void window_keep(tw_u32 *window, const tw_u32 words[WINDOW_TURNS])
{
    TW_UNROLL
    for (int turn = 0; turn < WINDOW_TURNS; turn++)
        if ((turn + 1) * THREADS <= WINDOW_WORDS || turn * THREADS + (int)threadIdx.x < WINDOW_WORDS)
            window[turn * THREADS + (int)threadIdx.x] = words[turn];
}
#else
TW_DEVICE void window_bring(tw_u32 *window, TW_GLOBAL const ELEMENT *images, struct tile tile)
{
    TW_UNROLL_BY(4)
    for (int i = (int)threadIdx.x; i < WINDOW_WORDS; i += THREADS)
        window[i] = window_word(images, tile, i);
}
#endif

#if MERGED > 1
/* Of several groups, which are one to the block: the first filter of a tile is the group's filter `first` of `all`, and what
 * belongs to the channels of another group than its own is zero. */
TW_DEVICE void filters_keep(tw_u32 *lines, TW_GLOBAL const ELEMENT *filters, int left, int ld_f, int first, int all)
{
    const int own = GROUP_CHANNELS / MERGED;
    TW_UNROLL_BY(4)
    for (int i = (int)threadIdx.x; i < BN * STEPS * 8; i += THREADS) {
        const int column = i / (STEPS * 8), word = i % (STEPS * 8), filter = FILTER_OF(column);
        const int c = word % PIXEL_WORDS * WORD_CHANNELS;
        lines[column * FILTER_WORDS + word] =
            filter < left && word < TERM_WORDS && (first + filter) / (all / MERGED) == c / own
                ? word_from(filters + (tw_index)filter * ld_f + word / PIXEL_WORDS * own, c % own / WORD_CHANNELS)
                : 0;
    }
}
#else
/* The tile's filters, `left` of which are there, as lines of words. */
TW_DEVICE void filters_keep(tw_u32 *lines, TW_GLOBAL const ELEMENT *filters, int left, int ld_f)
{
    TW_UNROLL_BY(4)
    for (int i = (int)threadIdx.x; i < BN * STEPS * 8; i += THREADS) {
        const int column = i / (STEPS * 8), word = i % (STEPS * 8), filter = FILTER_OF(column);
        lines[column * FILTER_WORDS + word] =
            filter < left && word < TERM_WORDS
                ? word_from(filters + (tw_index)filter * ld_f + word / PIXEL_WORDS * GROUP_CHANNELS, word % PIXEL_WORDS)
                : 0;
    }
}
#endif
