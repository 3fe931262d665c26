/* Winograd's convolution with what it multiplies the other way round: the sums over tiles, at every point, of the pixels
 * under a tile times the gradient by its results are the gradient by the filters at these points. Where results were made
 * of points, points are made of results, and filters of points; pixels stay what they are.
 *
 * In the workspace lie, for every point, channels x tiles and filters x tiles, where conv2d/winograd.cu has them, and for
 * every share of the tiles and point filters x channels: the first share's where the filters were, the others' at the end. */

#define PART_AT(share, point)                                                                    \
    (((share) > 0 ? RESULTS_AT(POINTS) - FILTERS_AT(POINTS) + FILTERS_AT(POINTS) * (share) : 0) + FILTERS_AT(point))

/* SPAN numbers become ALPHA. */
TW_DEVICE void transform_gradient(real *out, const int step, const real *of, const int from)
{
#if SPAN == 2
    const real a = of[0], b = of[from];
    out[0] = a;
    out[step] = a + b;
    out[2 * step] = a - b;
    out[3 * step] = b;
#else
    const real a = of[0], b = of[from], c = of[2 * from], d = of[3 * from];
    const real near_even = FMA(NEAR * NEAR, c, a), near_odd = NEAR * FMA(NEAR * NEAR, d, b);
    const real far_even = FMA(FAR * FAR, c, a), far_odd = FAR * FMA(FAR * FAR, d, b);
    out[0] = a;
    out[step] = near_even + near_odd;
    out[2 * step] = near_even - near_odd;
    out[3 * step] = far_even + far_odd;
    out[4 * step] = far_even - far_odd;
    out[5 * step] = d;
#endif
}

/* Of ALPHA numbers the first three become those of a filter. */
TW_DEVICE void transform_back(real *x, const int step)
{
#if SPAN == 2
    const real a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
    x[0] = a + (b + c) / 2;
    x[step] = (b - c) / 2;
    x[2 * step] = (b + c) / 2 + d;
#else
    const real near_all = 2 * NEAR * NEAR * (NEAR * NEAR - FAR * FAR), far_all = 2 * FAR * FAR * (FAR * FAR - NEAR * NEAR);
    const real near_even = (x[step] + x[2 * step]) / near_all, near_odd = (x[step] - x[2 * step]) / near_all;
    const real far_even = (x[3 * step] + x[4 * step]) / far_all, far_odd = (x[3 * step] - x[4 * step]) / far_all;
    x[0] = x[0] / (NEAR * NEAR * FAR * FAR) + near_even + far_even;
    x[step] = FMA(NEAR, near_odd, FAR * far_odd);
    x[2 * step] = FMA(NEAR * NEAR, near_even, FMA(FAR * FAR, far_even, x[5 * step]));
#endif
}
