/* Moves 1, 2 or 4 elements between memory and registers; more than one only where they are aligned
 * to their size, and never more than 16 bytes. `count` is a compile-time constant. */

#if INTEGER
#define LOAD_FOUR(space, to, from)                                                               \
    do {                                                                                         \
        const uint4 v = *(space const uint4 *)(from);                                            \
        (to)[0] = (int)v.x;                                                                      \
        (to)[1] = (int)v.y;                                                                      \
        (to)[2] = (int)v.z;                                                                      \
        (to)[3] = (int)v.w;                                                                      \
    } while (0)
#define STORE_FOUR(space, to, from)                                                              \
    *(space uint4 *)(to) = make_uint4((tw_u32)(from)[0], (tw_u32)(from)[1], (tw_u32)(from)[2],   \
                                      (tw_u32)(from)[3])
#elif IN_DOUBLE
#define LOAD_FOUR(space, to, from)                                                               \
    do {                                                                                         \
        const double2 v = *(space const double2 *)(from);                                        \
        const double2 w = *((space const double2 *)(from) + 1);                                  \
        (to)[0] = v.x;                                                                           \
        (to)[1] = v.y;                                                                           \
        (to)[2] = w.x;                                                                           \
        (to)[3] = w.y;                                                                           \
    } while (0)
#define STORE_FOUR(space, to, from)                                                              \
    do {                                                                                         \
        *(space double2 *)(to) = make_double2((from)[0], (from)[1]);                             \
        *((space double2 *)(to) + 1) = make_double2((from)[2], (from)[3]);                       \
    } while (0)
#elif DTYPE != DTYPE_f64
#define LOAD_FOUR(space, to, from)                                                               \
    do {                                                                                         \
        const float4 v = *(space const float4 *)(from);                                          \
        (to)[0] = v.x;                                                                           \
        (to)[1] = v.y;                                                                           \
        (to)[2] = v.z;                                                                           \
        (to)[3] = v.w;                                                                           \
    } while (0)
#define STORE_FOUR(space, to, from)                                                              \
    *(space float4 *)(to) = make_float4((from)[0], (from)[1], (from)[2], (from)[3])
#else
#define LOAD_FOUR(space, to, from)
#define STORE_FOUR(space, to, from)
#endif

/* Two of each, as OpenCL C has no pointers to either address space. */
#define DEFINE_VECTOR_ACCESS(where, space)                                                       \
    TW_DEVICE void load_##where(real *to, space const real *from, const int count)               \
    {                                                                                            \
        if (count == 4) {                                                                        \
            LOAD_FOUR(space, to, from);                                                          \
        } else if (count == 2) {                                                                 \
            const real2 v = *(space const real2 *)from;                                          \
            to[0] = v.x;                                                                         \
            to[1] = v.y;                                                                         \
        } else {                                                                                 \
            to[0] = *from;                                                                       \
        }                                                                                        \
    }                                                                                            \
    TW_DEVICE void store_##where(space real *to, const real *from, const int count)              \
    {                                                                                            \
        if (count == 4) {                                                                        \
            STORE_FOUR(space, to, from);                                                         \
        } else if (count == 2) {                                                                 \
            *(space real2 *)to = make_real2(from[0], from[1]);                                   \
        } else {                                                                                 \
            *to = from[0];                                                                       \
        }                                                                                        \
    }

#if !SMALL
DEFINE_VECTOR_ACCESS(global, TW_GLOBAL)
#elif IN_DOUBLE
/* Numbers of f32, which are f64 from here on. */
TW_DEVICE void load_global(real *to, TW_GLOBAL const float *from, const int count)
{
    if (count == 4) {
        const float4 v = *(TW_GLOBAL const float4 *)from;
        to[0] = (double)v.x;
        to[1] = (double)v.y;
        to[2] = (double)v.z;
        to[3] = (double)v.w;
    } else if (count == 2) {
        const float2 v = *(TW_GLOBAL const float2 *)from;
        to[0] = (double)v.x;
        to[1] = (double)v.y;
    } else {
        to[0] = (double)*from;
    }
}
#elif MIXED
/* Up to four elements of one or two bytes, as numbers. store.cu writes them one by one. */
TW_DEVICE void load_global(real *to, TW_GLOBAL const ELEMENT *from, const int count)
{
    tw_u32 words[2] = {0, 0};
    if (count == 1) {
        to[0] = LOADED(*from);
        return;
    }
#if ELEMENT_SIZE == 1
    words[0] = count == 4 ? *(TW_GLOBAL const tw_u32 *)from : *(TW_GLOBAL const tw_u16 *)from;
    TW_UNROLL
    for (int e = 0; e < count; e++)
        to[e] = LOADED((ELEMENT)(words[0] >> e * 8));
#else
    if (count == 4) {
        const uint2 v = *(TW_GLOBAL const uint2 *)from;
        words[0] = v.x;
        words[1] = v.y;
    } else {
        words[0] = *(TW_GLOBAL const tw_u32 *)from;
    }
    TW_UNROLL
    for (int e = 0; e < count; e++)
        to[e] = LOADED((ELEMENT)(words[e / 2] >> e % 2 * 16));
#endif
}
#else
/* Two bytes each, two of them in a word. */
TW_DEVICE void load_global(real *to, TW_GLOBAL const ELEMENT *from, const int count)
{
    if (count == 1) {
        to[0] = LOADED(*from);
        return;
    }
    tw_u32 words[2];
    if (count == 4) {
        const uint2 v = *(TW_GLOBAL const uint2 *)from;
        words[0] = v.x;
        words[1] = v.y;
    } else {
        words[0] = *(TW_GLOBAL const tw_u32 *)from;
        words[1] = 0;
    }
    TW_UNROLL
    for (int e = 0; e < count; e++)
        to[e] = LOADED((ELEMENT)(words[e / 2] >> e % 2 * 16));
}

TW_DEVICE void store_global(TW_GLOBAL ELEMENT *to, const real *from, const int count)
{
    if (count == 1) {
        *to = STORED(from[0]);
        return;
    }
    tw_u32 words[2] = {0, 0};
    TW_UNROLL
    for (int e = 0; e < count; e++)
        words[e / 2] |= (tw_u32)STORED(from[e]) << e % 2 * 16;
    if (count == 4)
        *(TW_GLOBAL uint2 *)to = make_uint2(words[0], words[1]);
    else
        *(TW_GLOBAL tw_u32 *)to = words[0];
}
#endif
DEFINE_VECTOR_ACCESS(shared, TW_LOCAL)
