/* The shared memory of kernels that fill it by ordinary copies. */

/* Not every kernel needs every one. */
#define AMPERE TW_DEVICE __attribute__((unused))

/* Lines of 128 bytes are what tiles are swizzled in. */
extern __shared__ __align__(128) unsigned char tw_shared_bytes[];

AMPERE tw_u32 shared_address(const void *pointer)
{
    return (tw_u32)__cvta_generic_to_shared(pointer);
}
