/* What the launch leaves are parts of sums in single precision, whatever the results are. */
#undef CTYPE
#define CTYPE CTYPE_f32
