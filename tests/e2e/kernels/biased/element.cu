/* The element type, and an element as a float. */
#if DTYPE == DTYPE_f16
#define ELEMENT tw_f16
#define NUMBER(x) tw_f16_to_f32(x)
#elif DTYPE == DTYPE_bf16
#define ELEMENT tw_bf16
#define NUMBER(x) tw_bf16_to_f32(x)
#elif DTYPE == DTYPE_e4m3
#define ELEMENT tw_e4m3
#define NUMBER(x) tw_e4m3_to_f32(x)
#elif DTYPE == DTYPE_e5m2
#define ELEMENT tw_e5m2
#define NUMBER(x) tw_e5m2_to_f32(x)
#else
#define ELEMENT tw_i8
#define NUMBER(x) (float)(x)
#endif
