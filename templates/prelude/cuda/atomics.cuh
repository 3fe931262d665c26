/* The dialect's atomic operations on CUDA, where those on integers are built in. See
 * templates/README.md. */
TW_DEVICE float tw_atomic_add_f32(float *at, float value) { return atomicAdd(at, value); }
TW_DEVICE float tw_atomic_add_shared_f32(float *at, float value) { return atomicAdd(at, value); }
