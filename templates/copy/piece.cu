/* Moving pieces of 1 to 16 bytes between registers, shared and global memory.
 *
 * Copying kernels treat elements as bits: unsigned words of the element's size, so that a NaN keeps
 * its payload and one path serves every type of a size. In registers a piece is an array of 32-bit
 * words, low element first; a piece under 4 bytes is one word with zeros on top.
 *
 * Wants DTYPE (u8 u16 f32 f64) and CACHE (normal streaming). `bytes` is always a constant where
 * these functions are called, so each call becomes one instruction. */
#if DTYPE == DTYPE_u8
#define ESIZE 1
typedef tw_u8 element;
#elif DTYPE == DTYPE_u16
#define ESIZE 2
typedef tw_u16 element;
#elif DTYPE == DTYPE_f32
#define ESIZE 4
typedef tw_u32 element;
#else
#define ESIZE 8
typedef tw_u64 element;
#endif

/* Words that hold n elements. */
#define WORDS_OF(n) ((n) * ESIZE < 4 ? 1 : (n) * ESIZE / 4)

/* Streaming marks data as used once: on a GPU it leaves the L2 first, on a CPU whole lines are
 * written without being read. OpenCL C has no word for it, but compilers built on clang do. */
#define READ_PLAIN(type, p) (*(TW_GLOBAL const type *)(p))
#define WRITE_PLAIN(type, p, v) (*(TW_GLOBAL type *)(p) = (v))
#if CACHE == CACHE_streaming && defined(TW_CUDA)
#define READ(type, p) __ldcs((const type *)(p))
#define WRITE(type, p, v) __stcs((type *)(p), v)
#elif CACHE == CACHE_streaming && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define READ(type, p) __builtin_nontemporal_load((TW_GLOBAL const type *)(p))
#define WRITE(type, p, v) __builtin_nontemporal_store(v, (TW_GLOBAL type *)(p))
#endif
#endif
#ifndef READ
#define READ READ_PLAIN
#define WRITE WRITE_PLAIN
#endif

TW_DEVICE void load_global(tw_u32 *words, TW_GLOBAL const element *p, int bytes)
{
    if (bytes == 1) {
        words[0] = READ(tw_u8, p);
    } else if (bytes == 2) {
        words[0] = READ(tw_u16, p);
    } else if (bytes == 4) {
        words[0] = READ(tw_u32, p);
    } else if (bytes == 8) {
        uint2 v = READ(uint2, p);
        words[0] = v.x;
        words[1] = v.y;
    } else {
        uint4 v = READ(uint4, p);
        words[0] = v.x;
        words[1] = v.y;
        words[2] = v.z;
        words[3] = v.w;
    }
}

TW_DEVICE void store_global(TW_GLOBAL element *p, const tw_u32 *words, int bytes)
{
    if (bytes == 1) {
        WRITE(tw_u8, p, (tw_u8)words[0]);
    } else if (bytes == 2) {
        WRITE(tw_u16, p, (tw_u16)words[0]);
    } else if (bytes == 4) {
        WRITE(tw_u32, p, words[0]);
    } else if (bytes == 8) {
        uint2 v = make_uint2(words[0], words[1]);
        WRITE(uint2, p, v);
    } else {
        uint4 v = make_uint4(words[0], words[1], words[2], words[3]);
        WRITE(uint4, p, v);
    }
}

TW_DEVICE void load_shared(tw_u32 *words, TW_LOCAL const element *p, int bytes)
{
    if (bytes == 1) {
        words[0] = *(TW_LOCAL const tw_u8 *)p;
    } else if (bytes == 2) {
        words[0] = *(TW_LOCAL const tw_u16 *)p;
    } else if (bytes == 4) {
        words[0] = *(TW_LOCAL const tw_u32 *)p;
    } else if (bytes == 8) {
        uint2 v = *(TW_LOCAL const uint2 *)p;
        words[0] = v.x;
        words[1] = v.y;
    } else {
        uint4 v = *(TW_LOCAL const uint4 *)p;
        words[0] = v.x;
        words[1] = v.y;
        words[2] = v.z;
        words[3] = v.w;
    }
}

TW_DEVICE void store_shared(TW_LOCAL element *p, const tw_u32 *words, int bytes)
{
    if (bytes == 1)
        *(TW_LOCAL tw_u8 *)p = (tw_u8)words[0];
    else if (bytes == 2)
        *(TW_LOCAL tw_u16 *)p = (tw_u16)words[0];
    else if (bytes == 4)
        *(TW_LOCAL tw_u32 *)p = words[0];
    else if (bytes == 8)
        *(TW_LOCAL uint2 *)p = make_uint2(words[0], words[1]);
    else
        *(TW_LOCAL uint4 *)p = make_uint4(words[0], words[1], words[2], words[3]);
}

TW_DEVICE element get_element(const tw_u32 *words, int i)
{
#if ESIZE == 8
    return (element)words[2 * i + 1] << 32 | words[2 * i];
#elif ESIZE == 4
    return words[i];
#else
    return (element)(words[i * ESIZE / 4] >> i * ESIZE % 4 * 8);
#endif
}

/* Where words start as zeros: elements under 32 bits are merged into theirs. */
TW_DEVICE void put_element(tw_u32 *words, int i, element value)
{
#if ESIZE == 8
    words[2 * i] = (tw_u32)value;
    words[2 * i + 1] = (tw_u32)(value >> 32);
#elif ESIZE == 4
    words[i] = value;
#else
    words[i * ESIZE / 4] |= (tw_u32)value << i * ESIZE % 4 * 8;
#endif
}

/* The first `count` of `width` elements, one by one: for pieces that the matrix's edge cuts. */
TW_DEVICE void load_part(tw_u32 *words, TW_GLOBAL const element *p, int width, int count)
{
    TW_UNROLL
    for (int w = 0; w < WORDS_OF(width); w++)
        words[w] = 0;
    TW_UNROLL
    for (int i = 0; i < width; i++)
        if (i < count)
            put_element(words, i, p[i]);
}

TW_DEVICE void store_part(TW_GLOBAL element *p, const tw_u32 *words, int width, int count)
{
    TW_UNROLL
    for (int i = 0; i < width; i++)
        if (i < count)
            p[i] = get_element(words, i);
}
