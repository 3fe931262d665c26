/* The types of a reference's input and answer: floating answers are doubles. */
#if DTYPE == DTYPE_u8
typedef tw_u8 input;
typedef tw_u8 answer;
#elif DTYPE == DTYPE_u16
typedef tw_u16 input;
typedef tw_u16 answer;
#elif DTYPE == DTYPE_f32
typedef float input;
typedef double answer;
#else
typedef double input;
typedef double answer;
#endif
