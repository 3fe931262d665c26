/* Maps the template dialect to CUDA C as NVRTC compiles it. See templates/README.md. */
#define TW_CUDA 1
#define TW_KERNEL(name)                                                                          \
    extern "C" __global__ void                                                                   \
        __launch_bounds__(TW_BLOCK_X *TW_BLOCK_Y *TW_BLOCK_Z, TW_MIN_BLOCKS) name
#define TW_DEVICE static __device__ __forceinline__
#define TW_GLOBAL
#define TW_LOCAL
#define TW_RESTRICT __restrict__
/* Dynamic, because static shared memory ends at 48 KB. */
#define TW_SHARED(type, name, count)                                                             \
    extern __shared__ __align__(16) unsigned char tw_shared_bytes[];                             \
    type *name = (type *)tw_shared_bytes
#define TW_PRAGMA(text) _Pragma(#text)
#define TW_UNROLL TW_PRAGMA(unroll)
#define TW_UNROLL_BY(n) TW_PRAGMA(unroll n)
typedef long long tw_index;
typedef unsigned char tw_u8;
typedef unsigned short tw_u16;
typedef unsigned int tw_u32;
typedef unsigned long long tw_u64;
