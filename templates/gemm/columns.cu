/* In place of the columns that fragment.cu gives a thread: one in every THREADS_N, so that neighbouring lanes store to
 * neighbouring places where rows of C begin anywhere and nothing is stored by vectors. The shared tile of B is read one
 * element at a time, which costs less than the stores gain while K is short. */

#undef PIECE_N
#define PIECE_N 1

TW_DEVICE void read_columns(real *a, real *b, TW_LOCAL const real *from_a, TW_LOCAL const real *from_b, int k)
{
#if A_BY_K
    TW_UNROLL
    for (int i = 0; i < TM; i += PIECE_M)
        load_shared(a + i, from_a + k * NEXT_K_A + PLACE_M(i), PIECE_M);
#else
    TW_UNROLL
    for (int i = 0; i < TM; i++)
        a[i] = from_a[PLACE_M(i) * ROW_A + k * NEXT_K_A];
#endif
    TW_UNROLL
    for (int j = 0; j < TN; j++)
        b[j] = from_b[k * NEXT_K_B + PLACE_N(j)];
}
#define read_fragments read_columns
