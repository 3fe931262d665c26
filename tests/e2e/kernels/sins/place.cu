#define PLACE                                                                                    \
    int row = (int)blockIdx.y, column = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);            \
    if (column >= N)                                                                             \
        return
