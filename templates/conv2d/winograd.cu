/* Winograd's convolution with a filter of 3x3 (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015):
 * SPAN x SPAN neighbouring results need ALPHA x ALPHA pixels, and so many products in place of nine for each. Images and
 * filters are transformed to polynomials' values at ALPHA points each way, which are multiplied, summed over channels and
 * transformed back.
 *
 * In the workspace lie, for every point, channels x filters, channels x tiles and filters x tiles; filters and tiles
 * padded to multiples of four, as ALL_FILTERS and ALL_TILES. What is in the padding feeds only itself. */

#define ALPHA (SPAN + 2)
#define POINTS (ALPHA * ALPHA)
#define TILES_H ((RESULT_H + SPAN - 1) / SPAN)
#define TILES_W ((RESULT_W + SPAN - 1) / SPAN)

#define FILTERS_AT(point) ((tw_index)(point)*ALL_CHANNELS * ALL_FILTERS)
#define IMAGES_AT(point) (FILTERS_AT(POINTS) + (tw_index)(point)*ALL_CHANNELS * ALL_TILES)
#define RESULTS_AT(point) (IMAGES_AT(POINTS) + (tw_index)(point)*ALL_FILTERS * ALL_TILES)

/* The points are 0, +-1 and infinity for two results, and 0, +-3/4, +-3/2 and infinity for four: with these, sums of 576
 * products have half the error that 0, +-1, +-2 leave them, and the largest is a quarter. */
#define NEAR ((real)0.75)
#define FAR ((real)1.5)

/* Of ALPHA numbers that lie `step` apart, in their place. */
TW_DEVICE void transform_pixels(real *x, const int step)
{
#if SPAN == 2
    const real a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
    x[0] = a - c;
    x[step] = b + c;
    x[2 * step] = c - b;
    x[3 * step] = d - b;
#else
    const real a = x[0], b = x[step], c = x[2 * step], d = x[3 * step], e = x[4 * step], f = x[5 * step];
    const real even = FMA(-FAR * FAR, c, e), odd = NEAR * FMA(-FAR * FAR, b, d);
    const real far_even = FMA(-NEAR * NEAR, c, e), far_odd = FAR * FMA(-NEAR * NEAR, b, d);
    x[0] = FMA(NEAR * NEAR * FAR * FAR, a, FMA(-(NEAR * NEAR + FAR * FAR), c, e));
    x[step] = even + odd;
    x[2 * step] = even - odd;
    x[3 * step] = far_even + far_odd;
    x[4 * step] = far_even - far_odd;
    x[5 * step] = FMA(NEAR * NEAR * FAR * FAR, b, FMA(-(NEAR * NEAR + FAR * FAR), d, f));
#endif
}

/* Three numbers become ALPHA. */
TW_DEVICE void transform_filter(real *out, const int step, real a, real b, real c)
{
#if SPAN == 2
    out[0] = a;
    out[step] = (a + b + c) / 2;
    out[2 * step] = (a - b + c) / 2;
    out[3 * step] = c;
#else
    const real near_even = FMA(NEAR * NEAR, c, a), near_odd = NEAR * b;
    const real far_even = FMA(FAR * FAR, c, a), far_odd = FAR * b;
    const real near_all = 2 * NEAR * NEAR * (NEAR * NEAR - FAR * FAR), far_all = 2 * FAR * FAR * (FAR * FAR - NEAR * NEAR);
    out[0] = a / (NEAR * NEAR * FAR * FAR);
    out[step] = (near_even + near_odd) / near_all;
    out[2 * step] = (near_even - near_odd) / near_all;
    out[3 * step] = (far_even + far_odd) / far_all;
    out[4 * step] = (far_even - far_odd) / far_all;
    out[5 * step] = c;
#endif
}

/* Of ALPHA numbers the first SPAN become results. */
TW_DEVICE void transform_results(real *x, const int step)
{
#if SPAN == 2
    const real a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
    x[0] = a + b + c;
    x[step] = b - c + d;
#else
    const real a = x[0], near_even = x[step] + x[2 * step], near_odd = x[step] - x[2 * step];
    const real far_even = x[3 * step] + x[4 * step], far_odd = x[3 * step] - x[4 * step], f = x[5 * step];
    x[0] = a + near_even + far_even;
    x[step] = FMA(NEAR, near_odd, FAR * far_odd);
    x[2 * step] = FMA(NEAR * NEAR, near_even, FAR * FAR * far_even);
    x[3 * step] = FMA(NEAR * NEAR * NEAR, near_odd, FMA(FAR * FAR * FAR, far_odd, f));
#endif
}
