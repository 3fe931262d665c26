/* K is divided over split_k groups of blocks in whole steps. */

/* The first step that belongs to a part. */
TW_DEVICE int split_step(int K, int part, int parts)
{
    return (int)((tw_index)(K / STEP) * part / parts);
}
