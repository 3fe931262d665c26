/* Filters turned about, phase after phase (phases.cu): in each a row for each channel of the images, which has the
 * group's filters as its channels. One thread an element. */

TW_KERNEL(conv2d_phase_filters)
(TW_GLOBAL const ELEMENT *TW_RESTRICT filters, TW_GLOBAL ELEMENT *TW_RESTRICT turned, int channels, int filter_count,
 int ld_f)
{
    const int group_channels = channels / GROUPS, group_filters = filter_count / GROUPS;
    const int filter_r = FILTER_R, filter_s = FILTER_S;
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)filter_count * group_channels * FILTER_R * FILTER_S)
        return;
    const int s = (int)(element % FILTER_S), r = (int)(element / FILTER_S % FILTER_R);
    const tw_index pair = element / (FILTER_R * FILTER_S);
    const int c = (int)(pair % group_channels), filter = (int)(pair / group_channels);
    const int channel = filter / group_filters * group_channels + c, f = filter % group_filters;
    const struct phase phase = phase_at(r % STRIDE_H * STRIDE_W + s % STRIDE_W);
    const int places = phase.height * phase.width, place = r / STRIDE_H * phase.width + s / STRIDE_W;
    const int k = NHWC ? place * group_filters + f : f * places + place;
    turned[((tw_index)channels * places_before(phase) + (tw_index)channel * places) * group_filters + k] =
        filters[FILTER_AT(filter, c, r, s)];
}
