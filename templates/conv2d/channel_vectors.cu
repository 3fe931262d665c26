/* Neighbours in memory, up to sixteen bytes of them: as words that are taken in one access, which are numbers of f32 or f64 or
 * two of 16 bits, and numbers from words. `count` is a compile-time constant, and where it is more than one the neighbours are
 * aligned to their size. What is taken on a condition is only turned into numbers behind it, so that accesses need not
 * wait for each other. */

#if SMALL
typedef tw_u32 word;
#define WORDS(count) (((count) + 1) / 2)
#define NUMBER_OF(words, e) LOADED((ELEMENT)((words)[(e) / 2] >> (e) % 2 * 16))
#define TAKE(space, to, from, count)                                                             \
    do {                                                                                         \
        if (count == 8) {                                                                        \
            const uint4 v = *(space const uint4 *)(from);                                        \
            (to)[0] = v.x;                                                                       \
            (to)[1] = v.y;                                                                       \
            (to)[2] = v.z;                                                                       \
            (to)[3] = v.w;                                                                       \
        } else if (count == 4) {                                                                 \
            const uint2 v = *(space const uint2 *)(from);                                        \
            (to)[0] = v.x;                                                                       \
            (to)[1] = v.y;                                                                       \
        } else {                                                                                 \
            (to)[0] = count == 2 ? *(space const tw_u32 *)(from) : (tw_u32) * (from);            \
        }                                                                                        \
    } while (0)
#else
typedef real word;
#define WORDS(count) (count)
#define NUMBER_OF(words, e) ((words)[e])
#if DTYPE == DTYPE_f64
#define TAKE_FOUR(space, to, from)
#else
#define TAKE_FOUR(space, to, from)                                                               \
    do {                                                                                         \
        const float4 v = *(space const float4 *)(from);                                          \
        (to)[0] = v.x;                                                                           \
        (to)[1] = v.y;                                                                           \
        (to)[2] = v.z;                                                                           \
        (to)[3] = v.w;                                                                           \
    } while (0)
#endif
#define TAKE(space, to, from, count)                                                             \
    do {                                                                                         \
        if (count == 4) {                                                                        \
            TAKE_FOUR(space, to, from);                                                          \
        } else if (count == 2) {                                                                 \
            const real2 v = *(space const real2 *)(from);                                        \
            (to)[0] = v.x;                                                                       \
            (to)[1] = v.y;                                                                       \
        } else {                                                                                 \
            (to)[0] = *(from);                                                                   \
        }                                                                                        \
    } while (0)
#endif

/* Two of one thing, as OpenCL C has no pointers to either address space. */
TW_DEVICE void take(word *to, TW_GLOBAL const ELEMENT *from, const int count)
{
    TAKE(TW_GLOBAL, to, from, count);
}

TW_DEVICE __attribute__((unused)) void take_weights(word *to, TW_LOCAL const ELEMENT *from, const int count)
{
    TAKE(TW_LOCAL, to, from, count);
}

TW_DEVICE void put(TW_GLOBAL ELEMENT *to, const ELEMENT *from, const int count)
{
    if (count == 1) {
        *to = from[0];
        return;
    }
#if SMALL
    tw_u32 words[4] = {0, 0, 0, 0};
    TW_UNROLL
    for (int e = 0; e < count; e++)
        words[e / 2] |= (tw_u32)from[e] << e % 2 * 16;
    if (count == 8)
        *(TW_GLOBAL uint4 *)to = make_uint4(words[0], words[1], words[2], words[3]);
    else if (count == 4)
        *(TW_GLOBAL uint2 *)to = make_uint2(words[0], words[1]);
    else
        *(TW_GLOBAL tw_u32 *)to = words[0];
#else
#if DTYPE != DTYPE_f64
    if (count == 4) {
        *(TW_GLOBAL float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
        return;
    }
#endif
    *(TW_GLOBAL real2 *)to = make_real2(from[0], from[1]);
#endif
}
