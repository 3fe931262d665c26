/* Filters turned about, for a convolution back: a row for each channel of the images, which has the group's filters as
 * its channels, and places in opposite order. One thread an element. */

TW_KERNEL(conv2d_turn_filters)
(TW_GLOBAL const ELEMENT *TW_RESTRICT filters, TW_GLOBAL ELEMENT *TW_RESTRICT turned, int channels, int filter_count,
 int filter_r, int filter_s, int ld_f)
{
    const int group_channels = channels / GROUPS, group_filters = filter_count / GROUPS;
    const int taps = filter_r * filter_s, terms = group_filters * taps;
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)channels * terms)
        return;
    const int channel = (int)(element / terms), k = (int)(element % terms);
    const int f = NHWC ? k % group_filters : k / taps, tap = taps - 1 - (NHWC ? k / group_filters : k % taps);
    const int filter = channel / group_channels * group_filters + f;
    turned[element] = filters[FILTER_AT(filter, channel % group_channels, tap / filter_s, tap % filter_s)];
}
