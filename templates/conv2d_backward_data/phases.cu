/* What terms.cu is, for one phase of a gradient through strides: pixels of the images that are STRIDE_H rows and
 * STRIDE_W columns apart were met by the same places of the filter, again as far apart, and by no others. So each phase
 * is a convolution without strides of the gradient by the results, with its own part of the filter; together they
 * multiply as often as the convolution did. A phase is numbered by the first of its places, and those with most terms
 * come first.
 *
 * A block's phase is in its z, with the group. The turned filters lie phase after phase, a row for each channel of the
 * images. */

#if WIDE
typedef tw_index image_offset;
#else
typedef int image_offset;
#endif

#define PHASES (STRIDE_H * STRIDE_W)

/* Numbers from 0 to below `count` that leave `rest` when they are divided by `stride`, and those that leave less. */
#define LEAVING(count, stride, rest) ((count) / (stride) + ((rest) < (count) % (stride)))
#define LEAVING_LESS(count, stride, rest)                                                        \
    ((count) / (stride) * (rest) + ((count) % (stride) < (rest) ? (count) % (stride) : (rest)))
/* The first pixel, as counted without padding, over which a place lies that leaves `rest`. */
#define FIRST_PIXEL(rest, pad, stride) (((rest) + (stride) - (pad) % (stride)) % (stride))
/* How many there are every `stride` from one on. */
#define PIXELS_FROM(first, size, stride) ((first) < (size) ? ((size) - (first) + (stride)-1) / (stride) : 0)

struct phase {
    int r, s;             /* the first place of the filter */
    int height, width;    /* places */
    int first_h, first_w; /* pixel */
    int rows, columns;    /* of pixels */
    int begin_h, begin_w; /* result over which the first pixel and the first place meet */
};

TW_DEVICE struct phase phase_at(int number)
{
    struct phase phase;
    phase.r = number / STRIDE_W;
    phase.s = number % STRIDE_W;
    phase.height = LEAVING(FILTER_R, STRIDE_H, phase.r);
    phase.width = LEAVING(FILTER_S, STRIDE_W, phase.s);
    phase.first_h = FIRST_PIXEL(phase.r, PAD_H, STRIDE_H);
    phase.first_w = FIRST_PIXEL(phase.s, PAD_W, STRIDE_W);
    phase.rows = PIXELS_FROM(phase.first_h, RESULT_H, STRIDE_H);
    phase.columns = PIXELS_FROM(phase.first_w, RESULT_W, STRIDE_W);
    /* Negative where the padding is less than the place: strides divide it. */
    phase.begin_h = (phase.first_h + PAD_H - phase.r) / STRIDE_H;
    phase.begin_w = (phase.first_w + PAD_W - phase.s) / STRIDE_W;
    return phase;
}

#define BLOCK_PHASE phase_at((int)blockIdx.z % PHASES)

/* Places of the filter that earlier phases have. */
TW_DEVICE int places_before(struct phase phase)
{
    return LEAVING_LESS(FILTER_R, STRIDE_H, phase.r) * FILTER_S +
           phase.height * LEAVING_LESS(FILTER_S, STRIDE_W, phase.s);
}

/* Sizes that are divided by: of a phase that is empty no quotient is used. */
#define AT_LEAST_ONE(count) ((count) > 0 ? (count) : 1)

/* One of the phase's pixels: its image, and its row and column in the phase. */
struct pixel {
    int n, h, w;
};

TW_DEVICE struct pixel pixel_of(int number, struct phase phase)
{
    const int columns = AT_LEAST_ONE(phase.columns), rows = AT_LEAST_ONE(phase.rows);
    struct pixel pixel;
    pixel.w = number % columns;
    pixel.h = number / columns % rows;
    pixel.n = number / columns / rows;
    return pixel;
}

/* A place of the phase, and where its channel of the gradient is from the pixel's first. */
struct term {
    image_offset away;
    int down, across;
};

TW_DEVICE struct term term_at(int k)
{
    const struct phase phase = BLOCK_PHASE;
    const int height = AT_LEAST_ONE(phase.height), width = AT_LEAST_ONE(phase.width);
#if NHWC
    const int c = k % GROUP_CHANNELS, s = k / GROUP_CHANNELS % width, r = k / GROUP_CHANNELS / width;
#else
    const int s = k % width, r = k / width % height, c = k / width / height;
#endif
    struct term term;
    term.down = r;
    term.across = s;
#if NHWC
    term.away = c - ((image_offset)r * IMAGE_W + s) * LD_IN;
#else
    term.away = ((image_offset)c * IMAGE_H - r) * LD_IN - s;
#endif
    return term;
}

struct patch {
    image_offset begin;
    int top, left; /* the result over which the first place lay on the pixel */
};

TW_DEVICE struct patch patch_of(int pixel)
{
    const struct phase phase = BLOCK_PHASE;
    const struct pixel at = pixel_of(pixel, phase);
    struct patch patch;
    patch.top = phase.begin_h + at.h;
    patch.left = phase.begin_w + at.w;
#if NHWC
    patch.begin = (((image_offset)at.n * IMAGE_H + patch.top) * IMAGE_W + patch.left) * LD_IN;
#else
    patch.begin = ((image_offset)at.n * ALL_CHANNELS * IMAGE_H + patch.top) * LD_IN + patch.left;
#endif
    return patch;
}

/* Whether the convolution had a result there. */
TW_DEVICE int is_inside(struct patch patch, struct term term)
{
    return (tw_u32)(patch.top - term.down) < (tw_u32)IMAGE_H && (tw_u32)(patch.left - term.across) < (tw_u32)IMAGE_W;
}

TW_DEVICE image_offset place_of_term(struct patch patch, struct term term)
{
    return patch.begin + term.away;
}

/* Among all pixels of the images. */
TW_DEVICE int whole_pixel(int pixel, struct phase phase)
{
    const struct pixel at = pixel_of(pixel, phase);
    return (at.n * RESULT_H + phase.first_h + at.h * STRIDE_H) * RESULT_W + phase.first_w + at.w * STRIDE_W;
}
