/* LANES floats as one value: what one shared memory access brings of a row of the right operand,
 * and on a CPU one register. Wants LANES, 1 to 4, or to 16 in OpenCL. */
#if LANES == 1
typedef float lanes;
#elif LANES == 2
typedef float2 lanes;
#elif LANES == 4
typedef float4 lanes;
#elif LANES == 8
typedef float8 lanes;
#else
typedef float16 lanes;
#endif

/* a * b + c. A CPU's compiler turns plain vector arithmetic into its fused instruction, and may
 * take OpenCL's fma() apart into scalars. */
TW_DEVICE lanes multiply_add(float a, lanes b, lanes c)
{
#if defined(TW_OPENCL)
    return a * b + c;
#elif LANES == 1
    return fmaf(a, b, c);
#elif LANES == 2
    return make_float2(fmaf(a, b.x, c.x), fmaf(a, b.y, c.y));
#else
    return make_float4(fmaf(a, b.x, c.x), fmaf(a, b.y, c.y), fmaf(a, b.z, c.z),
                       fmaf(a, b.w, c.w));
#endif
}

/* OpenCL's own accesses want floats aligned, not vectors. */
#define LANES_PASTE(name, n) name##n
#define LANES_NAME(name, n) LANES_PASTE(name, n)

TW_DEVICE lanes load_lanes(TW_LOCAL const float *p)
{
#if defined(TW_OPENCL) && LANES > 1
    return LANES_NAME(vload, LANES)(0, p);
#else
    return *(TW_LOCAL const lanes *)p;
#endif
}

TW_DEVICE void store_lanes(TW_GLOBAL float *p, lanes v)
{
#if defined(TW_OPENCL) && LANES > 1
    LANES_NAME(vstore, LANES)(v, 0, p);
#else
    *(TW_GLOBAL lanes *)p = v;
#endif
}

TW_DEVICE float get_lane(const lanes *v, int i)
{
    return ((const float *)v)[i];
}

TW_DEVICE lanes no_lanes(void)
{
#if defined(TW_OPENCL)
    return (lanes)(0.0f);
#elif LANES == 1
    return 0.0f;
#elif LANES == 2
    return make_float2(0.0f, 0.0f);
#else
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#endif
}
