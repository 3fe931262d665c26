/* C = alpha*op(A)*op(B) + beta*C on Hopper's tensor cores. One warpgroup's thread loads, the others multiply:
 * together on one tile (cooperative), or on tiles of their own in turn, so that one stores while the other
 * multiplies (pingpong). Loads run ahead over a ring of stages. The outline is NVIDIA's, as CUTLASS has it
 * (warp-specialised persistent kernels). */

/* An operand that a launch before has copied has a map of the copy as well. */
#if COPY_A || COPY_B
#define COPIES const __grid_constant__ tensor_map copy_a, const __grid_constant__ tensor_map copy_b,
#define MAP_OF_A (COPY_A ? &copy_a : &map_a)
#define MAP_OF_B (COPY_B ? &copy_b : &map_b)
#else
#define COPIES
#define MAP_OF_A &map_a
#define MAP_OF_B &map_b
#endif

#if SYMMETRIC
/* A*A^T, of one triangle of tiles: aat/wgmma_places.cu, aat/store_both.cu. */
TW_KERNEL(aat_wgmma)
(const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
 TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL result_type *TW_RESTRICT C, int M, int K, int lda, int ldc, int group)
{
    TW_GLOBAL const float *B = A;
    const tensor_map *map_c = 0;
    const int N = M, ldb = lda;
    const float alpha = 1, beta = 0;
#else
TW_KERNEL(gemm_wgmma)
(const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
 const __grid_constant__ tensor_map map_c, COPIES TW_GLOBAL result_type *TW_RESTRICT C, int M, int N, int K,
#if EPILOGUE || BATCHED || GROUPED || PLANES
 int ldc, SCALAR alpha, SCALAR beta, int group EPILOGUE_PARAMETERS LAYER_STRIDES)
#else
 int ldc, SCALAR alpha, SCALAR beta, int group)
#endif
{
#endif
    const tw_u32 base = shared_address(tw_shared_bytes);
    const int rows = SWAP ? N : M, columns = SWAP ? M : N;
    const tensor_map *map_rows = SWAP ? MAP_OF_B : MAP_OF_A, *map_columns = SWAP ? MAP_OF_A : MAP_OF_B;
    if (threadIdx.x == 0) {
        fetch_map(map_rows);
        fetch_map(map_columns);
        init_barriers(base);
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
#if EARLY
    /* Up to here the launches before may still run. The next may come as soon as all blocks are so far. */
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
#if GROUPED
    const struct share share = share_of(M, N, K, ends);
#else
    const struct share share = share_of(rows, columns, K);
#endif

    if (threadIdx.x < WARPGROUP) {
        MOVE_REGISTERS("dec", PRODUCER_REGISTERS);
#if GROUPED
        if (threadIdx.x == 0)
            produce(map_rows, map_columns, base, rows, columns, group, share, ends);
#else
        if (threadIdx.x == 0)
            produce(map_rows, map_columns, base, rows, columns, group, share);
#endif
        if (SPLIT > 1) {
            __syncwarp();
            cluster_sync();
        }
    } else {
        MOVE_REGISTERS("inc", CONSUMER_REGISTERS);
#if SYMMETRIC
        consume(map_c, C, base, rows, columns, ldc, alpha, beta, group, share EPILOGUE_HANDED LAYER_STRIDES_GIVEN);
#elif EPILOGUE || BATCHED || GROUPED || PLANES
        consume(&map_c, C, base, rows, columns, ldc, alpha, beta, group, share EPILOGUE_HANDED LAYER_STRIDES_GIVEN);
#else
        consume(&map_c, C, base, rows, columns, ldc, alpha, beta, group, share);
#endif
    }
    /* No block may end while others still read its shared memory or arrive at its barriers. */
    if (CLUSTER > 1) {
        __syncwarp();
        cluster_sync();
    }
}
