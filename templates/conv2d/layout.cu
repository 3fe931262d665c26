/* How images, filters and results lie in memory: rows of images and results are ld_in and ld_out elements apart, those
 * of a filter's terms ld_f:
 *
 *     nhwc    images IMAGES*IN_H*IN_W x CHANNELS, a filter R*S*C, results IMAGES*OUT_H*OUT_W x FILTERS
 *     nchw    images IMAGES*CHANNELS*IN_H x IN_W, a filter C*R*S, results IMAGES*FILTERS*OUT_H x OUT_W
 *
 * where C is the channels of a group. The macros use ints of these names: in_h, in_w, out_h, out_w, channels and
 * filter_count (those of all groups), ld_in, ld_f, ld_out, and group_channels, filter_r, filter_s. */

#define NHWC (LAYOUT == LAYOUT_nhwc)

#if NHWC
#define INPUT_AT(n, c, h, w) ((((tw_index)(n) * in_h + (h)) * in_w + (w)) * ld_in + (c))
#define FILTER_AT(f, c, r, s) ((tw_index)(f) * ld_f + ((tw_index)(r) * filter_s + (s)) * group_channels + (c))
#define OUTPUT_AT(n, f, p, q) ((((tw_index)(n) * out_h + (p)) * out_w + (q)) * ld_out + (f))
#else
#define INPUT_AT(n, c, h, w) ((((tw_index)(n) * channels + (c)) * in_h + (h)) * ld_in + (w))
#define FILTER_AT(f, c, r, s) ((tw_index)(f) * ld_f + ((tw_index)(c) * filter_r + (r)) * filter_s + (s))
#define OUTPUT_AT(n, f, p, q) ((((tw_index)(n) * filter_count + (f)) * out_h + (p)) * ld_out + (q))
#endif
