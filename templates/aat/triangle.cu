/* The place in the lower triangle of a block number: row r begins at r (r + 1) / 2. The root is
 * near, and the loops make it exact. */
TW_DEVICE int triangle_row(tw_index id)
{
    tw_index r = (tw_index)((sqrt(8.0f * (float)id + 1.0f) - 1.0f) * 0.5f);
    while (r * (r + 1) / 2 > id)
        r--;
    while ((r + 1) * (r + 2) / 2 <= id)
        r++;
    return (int)r;
}
