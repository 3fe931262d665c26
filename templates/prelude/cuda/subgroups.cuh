/* The dialect's sub-groups on CUDA: shuffles within a warp. See templates/README.md. */
typedef int tw_subgroup; /* nothing has to be kept */
#define TW_SUBGROUP(name) const tw_subgroup name = 0

/* The threads of this warp that there are: the last one of a block may be in part. */
TW_DEVICE unsigned int tw_subgroup_members(void)
{
    const unsigned int threads = TW_BLOCK_X * TW_BLOCK_Y * TW_BLOCK_Z;
    unsigned int thread = threadIdx.x + TW_BLOCK_X * (threadIdx.y + TW_BLOCK_Y * threadIdx.z);
    return thread / 32 < threads / 32 ? 0xffffffffu : (1u << threads % 32) - 1;
}

#define TW_SHUFFLE(name, type, operation)                                                        \
    TW_DEVICE type name(tw_subgroup group, type value, int number, int width)                    \
    {                                                                                            \
        return operation(tw_subgroup_members(), value, number, width);                           \
    }
/* Both of a pair compute the same, so every thread ends with the same bits. */
#define TW_REDUCTION(name, type, combined)                                                       \
    TW_DEVICE type name(tw_subgroup group, type value, int width)                                \
    {                                                                                            \
        for (int distance = width / 2; distance > 0; distance /= 2) {                            \
            type other = __shfl_xor_sync(tw_subgroup_members(), value, distance, width);         \
            value = combined;                                                                    \
        }                                                                                        \
        return value;                                                                            \
    }
#define TW_SUBGROUP_FUNCTIONS(suffix, type, greater, lesser)                                     \
    TW_SHUFFLE(tw_shuffle_##suffix, type, __shfl_sync)                                           \
    TW_SHUFFLE(tw_shuffle_xor_##suffix, type, __shfl_xor_sync)                                   \
    TW_SHUFFLE(tw_shuffle_up_##suffix, type, __shfl_up_sync)                                     \
    TW_SHUFFLE(tw_shuffle_down_##suffix, type, __shfl_down_sync)                                 \
    TW_REDUCTION(tw_subgroup_sum_##suffix, type, value + other)                                  \
    TW_REDUCTION(tw_subgroup_max_##suffix, type, greater(value, other))                          \
    TW_REDUCTION(tw_subgroup_min_##suffix, type, lesser(value, other))
TW_SUBGROUP_FUNCTIONS(f32, float, fmaxf, fminf)
TW_SUBGROUP_FUNCTIONS(f64, double, fmax, fmin)
TW_SUBGROUP_FUNCTIONS(i32, int, max, min)
TW_SUBGROUP_FUNCTIONS(u32, unsigned int, max, min)
