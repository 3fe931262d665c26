/* The long matrix of a product with few vectors, of types of one and two bytes, whose lines in memory may begin
 * anywhere: it is read in aligned words of PER_WORD elements. A line that begins `offset` elements behind a word has
 * in its word w the elements from w*PER_WORD - offset on, so that lines are shifted against each other, and the
 * numbers that they are multiplied by are shifted with them.
 *
 * Offsets repeat after LINES lines, and a thread takes so many that follow each other: which element of a word is
 * which of a line is known when the kernel is compiled. */

#define OFFSET_OF(line) ((line) * SHIFT % PER_WORD)
#define WORD_U32S (WORD / 4)
#define PER_U32 (PER_WORD / WORD_U32S)
#define BITS_OF(e) ((e) % PER_U32 * (32 / PER_U32)) /* where its bits begin */
#if WORD == PER_WORD
#define ELEMENT_BITS tw_u8
#else
#define ELEMENT_BITS tw_u16
#endif

/* ALONG_K says which way the matrix lies: its lines are its rows, or each has what belongs to one of K. A thread has
 * ROWS sums for each column of the short matrix, a block takes STEP of K at a time and has BLOCK_ROWS rows of C. */
#define GROUPS (THREADS / LANES)
#if ALONG_K
#define LANE(tid) ((tid) % LANES)
#define GROUP(tid) ((tid) / LANES)
#define HANDED 0
#define ROWS LINES
#define STEP (LANES * PER_WORD)
#define BLOCK_ROWS (GROUPS * LINES)
#else
#define LANE(tid) ((tid) / GROUPS)
#define GROUP(tid) ((tid) % GROUPS)
/* The elements of a thread's words are of up to 2*PER_WORD - 1 rows. Those of rows before its word's own it hands to
 * the thread before it; the last of a block has no other. */
#define HANDED (SHIFT > 0 ? PER_WORD - 1 : 0)
#define ROWS (PER_WORD + HANDED)
#define STEP (LANES * LINES)
#define BLOCK_ROWS ((GROUPS - (HANDED > 0)) * PER_WORD)
#endif
#define OWN_ROWS (ROWS - HANDED)
#define SHARED_HANDED (GROUPS * HANDED * COLUMNS)

TW_DEVICE void load_word(tw_u32 *word, TW_GLOBAL const ELEMENT *from)
{
#if WORD_U32S == 4
    const uint4 v = *(TW_GLOBAL const uint4 *)from;
    word[0] = v.x;
    word[1] = v.y;
    word[2] = v.z;
    word[3] = v.w;
#elif WORD_U32S == 2
    const uint2 v = *(TW_GLOBAL const uint2 *)from;
    word[0] = v.x;
    word[1] = v.y;
#else
    word[0] = *(TW_GLOBAL const tw_u32 *)from;
#endif
}

/* Of the word's elements those from `first` to before `end`, which may be all or none, and zeros: beyond a line's
 * ends lie other lines, of which numbers may be NaN, or nothing that may be read. */
TW_DEVICE void load_part(tw_u32 *word, TW_GLOBAL const ELEMENT *from, tw_index first, tw_index end)
{
    TW_UNROLL
    for (int i = 0; i < WORD_U32S; i++)
        word[i] = 0;
    TW_UNROLL
    for (int e = 0; e < PER_WORD; e++)
        if (e >= first && e < end)
            word[e / PER_U32] |= (tw_u32)(ELEMENT_BITS)from[e] << BITS_OF(e);
}

TW_DEVICE real element_of(const tw_u32 *word, int e)
{
    return LOADED((ELEMENT)(ELEMENT_BITS)(word[e / PER_U32] >> BITS_OF(e)));
}
