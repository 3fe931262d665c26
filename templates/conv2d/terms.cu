/* Where the terms of a pixel's sum are: where the filter begins over the pixel, and how far a term is from there. Sizes
 * are constants, so that the compiler divides by multiplying. */

/* Offsets are 32 bits wide where they fit. */
#if WIDE
typedef tw_index image_offset;
#else
typedef int image_offset;
#endif

/* From where the filter begins to one of its terms. */
struct term {
    image_offset away;
    int down, across;
};

TW_DEVICE struct term term_at(int k)
{
#if NHWC
    const int c = k % GROUP_CHANNELS, s = k / GROUP_CHANNELS % FILTER_S, r = k / GROUP_CHANNELS / FILTER_S;
#else
    const int s = k % FILTER_S, r = k / FILTER_S % FILTER_R, c = k / FILTER_S / FILTER_R;
#endif
    struct term term;
    term.down = r * DILATION_H;
    term.across = s * DILATION_W;
#if NHWC
    term.away = ((image_offset)term.down * IMAGE_W + term.across) * LD_IN + c;
#else
    term.away = ((image_offset)c * IMAGE_H + term.down) * LD_IN + term.across;
#endif
    return term;
}

struct patch {
    image_offset begin; /* of the filter over this pixel, which padding may put before the image */
    int top, left;
};

TW_DEVICE struct patch patch_of(int pixel)
{
    const int q = pixel % RESULT_W, row = pixel / RESULT_W;
    const int p = row % RESULT_H, n = row / RESULT_H;
    struct patch patch;
    patch.top = p * STRIDE_H - PAD_H;
    patch.left = q * STRIDE_W - PAD_W;
#if NHWC
    patch.begin = (((image_offset)n * IMAGE_H + patch.top) * IMAGE_W + patch.left) * LD_IN;
#else
    patch.begin = ((image_offset)n * ALL_CHANNELS * IMAGE_H + patch.top) * LD_IN + patch.left;
#endif
    return patch;
}

/* Where the copy engine's window is over it. */
#define WINDOW_TOP(patch) (patch).top
#define WINDOW_LEFT(patch) (patch).left

#define PADDED (PAD_H + PAD_W > 0)

/* Whether a term falls on the image. */
TW_DEVICE int is_inside(struct patch patch, struct term term)
{
    return !PADDED || ((tw_u32)(patch.top + term.down) < (tw_u32)IMAGE_H &&
                       (tw_u32)(patch.left + term.across) < (tw_u32)IMAGE_W);
}

/* Where it is then. */
TW_DEVICE image_offset place_of_term(struct patch patch, struct term term)
{
    return patch.begin + term.away;
}
