/* Moves 1, 2 or 4 elements between memory and registers; more than one only where they are aligned
 * to their size, and never more than 16 bytes. `count` is a compile-time constant. */

#if DTYPE == DTYPE_f32
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

DEFINE_VECTOR_ACCESS(global, TW_GLOBAL)
DEFINE_VECTOR_ACCESS(shared, TW_LOCAL)
