/* What conv2d/terms.cu is for a convolution, for its gradient by the images: the results are the images' pixels, and
 * the terms of a sum those pixels of the gradient by the results over which the filter lay on this one. With strides that is
 * not every one. The turned filters have their places in opposite order. */

#if WIDE
typedef tw_index image_offset;
#else
typedef int image_offset;
#endif

/* A place of the filter, as far back from the pixel, and where its channel is. */
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
    term.down = (FILTER_R - 1 - r) * DILATION_H;
    term.across = (FILTER_S - 1 - s) * DILATION_W;
#if NHWC
    term.away = c;
#else
    term.away = (image_offset)c * IMAGE_H * LD_IN;
#endif
    return term;
}

struct patch {
    image_offset begin; /* of the image, or of its first channel */
    int top, left;      /* the pixel, counted from where the padding begins */
};

TW_DEVICE struct patch patch_of(int pixel)
{
    const int w = pixel % RESULT_W, row = pixel / RESULT_W;
    const int h = row % RESULT_H, n = row / RESULT_H;
    struct patch patch;
    patch.top = h + PAD_H;
    patch.left = w + PAD_W;
#if NHWC
    patch.begin = (image_offset)n * IMAGE_H * IMAGE_W * LD_IN;
#else
    patch.begin = (image_offset)n * ALL_CHANNELS * IMAGE_H * LD_IN;
#endif
    return patch;
}

/* Where the copy engine's window is over it, without strides. */
#define WINDOW_TOP(patch) ((patch).top - (FILTER_R - 1) * DILATION_H)
#define WINDOW_LEFT(patch) ((patch).left - (FILTER_S - 1) * DILATION_W)

/* Where the convolution's filter began over the pixel so that the term's place lay on it, times the strides. */
#define BEGAN_H(patch, term) ((patch).top - (term).down)
#define BEGAN_W(patch, term) ((patch).left - (term).across)

/* Whether the convolution had a result there. */
TW_DEVICE int is_inside(struct patch patch, struct term term)
{
    const int h = BEGAN_H(patch, term), w = BEGAN_W(patch, term);
    return h >= 0 && w >= 0 && h % STRIDE_H == 0 && w % STRIDE_W == 0 && h / STRIDE_H < IMAGE_H &&
           w / STRIDE_W < IMAGE_W;
}

TW_DEVICE image_offset place_of_term(struct patch patch, struct term term)
{
    const int p = BEGAN_H(patch, term) / STRIDE_H, q = BEGAN_W(patch, term) / STRIDE_W;
#if NHWC
    return patch.begin + term.away + ((image_offset)p * IMAGE_W + q) * LD_IN;
#else
    return patch.begin + term.away + (image_offset)p * LD_IN + q;
#endif
}
