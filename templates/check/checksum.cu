/* A checksum of memory, to see whether a kernel wrote where it must not: inputs and guard zones. Each
 * word is mixed with its place, so that swapped words show. One sum a block, to be added up. */
TW_KERNEL(tw_checksum)(TW_GLOBAL const tw_u32 *words, tw_index count,
                       TW_GLOBAL tw_u64 *sums) {
    TW_SHARED(tw_u64, shared, TW_BLOCK_X);
    int thread = (int)threadIdx.x;
    tw_u64 step = (tw_u64)gridDim.x * TW_BLOCK_X;
    tw_u64 sum = 0;
    for (tw_u64 i = (tw_u64)blockIdx.x * TW_BLOCK_X + (tw_u64)thread; i < (tw_u64)count; i += step) {
        tw_u64 mixed = ((tw_u64)words[i] + 1) * (2 * i + 0x9E3779B97F4A7C15UL);
        sum += mixed ^ (mixed >> 32);
    }
    shared[thread] = sum;
    for (int reach = TW_BLOCK_X / 2; reach > 0; reach /= 2) {
        __syncthreads();
        if (thread < reach)
            shared[thread] += shared[thread + reach];
    }
    if (thread == 0)
        sums[blockIdx.x] = shared[0];
}
