/* wgmma: a warpgroup multiplies 64 rows of one operand in shared memory with BN columns of another, 32
 * bytes of K at a time, and adds to registers (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions").
 *
 * Both operands lie there as the copy engine writes them with 128-byte swizzle, in blocks of 1024 bytes:
 * 8 rows of 128 bytes. Along K (K is contiguous in memory) a row is 128 bytes of K and the next block the
 * next 8 rows of the operand; across K (rows of the operand are contiguous) a row of a block is 64 rows of the
 * operand, the next block the next 8 of K, and after 64 of K come the next 64 rows; elements have two bytes then. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* The sums are so many registers of one instruction: their names in its text, and the operands behind
 * them (WGMMA_IN_OUT says of which kind), for every width of a tile. Operands 0 to 2 are the descriptors and whether to add. */
#define WGMMA_NAMES_8 "%3,%4,%5,%6"
#define WGMMA_SUMS_8(d) WGMMA_IN_OUT(d[0]), WGMMA_IN_OUT(d[1]), WGMMA_IN_OUT(d[2]), WGMMA_IN_OUT(d[3])
#define WGMMA_NAMES_16 WGMMA_NAMES_8 ",%7,%8,%9,%10"
#define WGMMA_SUMS_16(d) WGMMA_SUMS_8(d), WGMMA_IN_OUT(d[4]), WGMMA_IN_OUT(d[5]), WGMMA_IN_OUT(d[6]), WGMMA_IN_OUT(d[7])
#define WGMMA_NAMES_24 WGMMA_NAMES_16 ",%11,%12,%13,%14"
#define WGMMA_SUMS_24(d) WGMMA_SUMS_16(d), WGMMA_IN_OUT(d[8]), WGMMA_IN_OUT(d[9]), WGMMA_IN_OUT(d[10]), WGMMA_IN_OUT(d[11])
#define WGMMA_NAMES_32 WGMMA_NAMES_24 ",%15,%16,%17,%18"
#define WGMMA_SUMS_32(d) WGMMA_SUMS_24(d), WGMMA_IN_OUT(d[12]), WGMMA_IN_OUT(d[13]), WGMMA_IN_OUT(d[14]), WGMMA_IN_OUT(d[15])
#define WGMMA_NAMES_40 WGMMA_NAMES_32 ",%19,%20,%21,%22"
#define WGMMA_SUMS_40(d) WGMMA_SUMS_32(d), WGMMA_IN_OUT(d[16]), WGMMA_IN_OUT(d[17]), WGMMA_IN_OUT(d[18]), WGMMA_IN_OUT(d[19])
#define WGMMA_NAMES_48 WGMMA_NAMES_40 ",%23,%24,%25,%26"
#define WGMMA_SUMS_48(d) WGMMA_SUMS_40(d), WGMMA_IN_OUT(d[20]), WGMMA_IN_OUT(d[21]), WGMMA_IN_OUT(d[22]), WGMMA_IN_OUT(d[23])
#define WGMMA_NAMES_56 WGMMA_NAMES_48 ",%27,%28,%29,%30"
#define WGMMA_SUMS_56(d) WGMMA_SUMS_48(d), WGMMA_IN_OUT(d[24]), WGMMA_IN_OUT(d[25]), WGMMA_IN_OUT(d[26]), WGMMA_IN_OUT(d[27])
#define WGMMA_NAMES_64 WGMMA_NAMES_56 ",%31,%32,%33,%34"
#define WGMMA_SUMS_64(d) WGMMA_SUMS_56(d), WGMMA_IN_OUT(d[28]), WGMMA_IN_OUT(d[29]), WGMMA_IN_OUT(d[30]), WGMMA_IN_OUT(d[31])
#define WGMMA_NAMES_72 WGMMA_NAMES_64 ",%35,%36,%37,%38"
#define WGMMA_SUMS_72(d) WGMMA_SUMS_64(d), WGMMA_IN_OUT(d[32]), WGMMA_IN_OUT(d[33]), WGMMA_IN_OUT(d[34]), WGMMA_IN_OUT(d[35])
#define WGMMA_NAMES_80 WGMMA_NAMES_72 ",%39,%40,%41,%42"
#define WGMMA_SUMS_80(d) WGMMA_SUMS_72(d), WGMMA_IN_OUT(d[36]), WGMMA_IN_OUT(d[37]), WGMMA_IN_OUT(d[38]), WGMMA_IN_OUT(d[39])
#define WGMMA_NAMES_88 WGMMA_NAMES_80 ",%43,%44,%45,%46"
#define WGMMA_SUMS_88(d) WGMMA_SUMS_80(d), WGMMA_IN_OUT(d[40]), WGMMA_IN_OUT(d[41]), WGMMA_IN_OUT(d[42]), WGMMA_IN_OUT(d[43])
#define WGMMA_NAMES_96 WGMMA_NAMES_88 ",%47,%48,%49,%50"
#define WGMMA_SUMS_96(d) WGMMA_SUMS_88(d), WGMMA_IN_OUT(d[44]), WGMMA_IN_OUT(d[45]), WGMMA_IN_OUT(d[46]), WGMMA_IN_OUT(d[47])
#define WGMMA_NAMES_104 WGMMA_NAMES_96 ",%51,%52,%53,%54"
#define WGMMA_SUMS_104(d) WGMMA_SUMS_96(d), WGMMA_IN_OUT(d[48]), WGMMA_IN_OUT(d[49]), WGMMA_IN_OUT(d[50]), WGMMA_IN_OUT(d[51])
#define WGMMA_NAMES_112 WGMMA_NAMES_104 ",%55,%56,%57,%58"
#define WGMMA_SUMS_112(d) WGMMA_SUMS_104(d), WGMMA_IN_OUT(d[52]), WGMMA_IN_OUT(d[53]), WGMMA_IN_OUT(d[54]), WGMMA_IN_OUT(d[55])
#define WGMMA_NAMES_120 WGMMA_NAMES_112 ",%59,%60,%61,%62"
#define WGMMA_SUMS_120(d) WGMMA_SUMS_112(d), WGMMA_IN_OUT(d[56]), WGMMA_IN_OUT(d[57]), WGMMA_IN_OUT(d[58]), WGMMA_IN_OUT(d[59])
#define WGMMA_NAMES_128 WGMMA_NAMES_120 ",%63,%64,%65,%66"
#define WGMMA_SUMS_128(d) WGMMA_SUMS_120(d), WGMMA_IN_OUT(d[60]), WGMMA_IN_OUT(d[61]), WGMMA_IN_OUT(d[62]), WGMMA_IN_OUT(d[63])
#define WGMMA_NAMES_136 WGMMA_NAMES_128 ",%67,%68,%69,%70"
#define WGMMA_SUMS_136(d) WGMMA_SUMS_128(d), WGMMA_IN_OUT(d[64]), WGMMA_IN_OUT(d[65]), WGMMA_IN_OUT(d[66]), WGMMA_IN_OUT(d[67])
#define WGMMA_NAMES_144 WGMMA_NAMES_136 ",%71,%72,%73,%74"
#define WGMMA_SUMS_144(d) WGMMA_SUMS_136(d), WGMMA_IN_OUT(d[68]), WGMMA_IN_OUT(d[69]), WGMMA_IN_OUT(d[70]), WGMMA_IN_OUT(d[71])
#define WGMMA_NAMES_152 WGMMA_NAMES_144 ",%75,%76,%77,%78"
#define WGMMA_SUMS_152(d) WGMMA_SUMS_144(d), WGMMA_IN_OUT(d[72]), WGMMA_IN_OUT(d[73]), WGMMA_IN_OUT(d[74]), WGMMA_IN_OUT(d[75])
#define WGMMA_NAMES_160 WGMMA_NAMES_152 ",%79,%80,%81,%82"
#define WGMMA_SUMS_160(d) WGMMA_SUMS_152(d), WGMMA_IN_OUT(d[76]), WGMMA_IN_OUT(d[77]), WGMMA_IN_OUT(d[78]), WGMMA_IN_OUT(d[79])
#define WGMMA_NAMES_168 WGMMA_NAMES_160 ",%83,%84,%85,%86"
#define WGMMA_SUMS_168(d) WGMMA_SUMS_160(d), WGMMA_IN_OUT(d[80]), WGMMA_IN_OUT(d[81]), WGMMA_IN_OUT(d[82]), WGMMA_IN_OUT(d[83])
#define WGMMA_NAMES_176 WGMMA_NAMES_168 ",%87,%88,%89,%90"
#define WGMMA_SUMS_176(d) WGMMA_SUMS_168(d), WGMMA_IN_OUT(d[84]), WGMMA_IN_OUT(d[85]), WGMMA_IN_OUT(d[86]), WGMMA_IN_OUT(d[87])
#define WGMMA_NAMES_184 WGMMA_NAMES_176 ",%91,%92,%93,%94"
#define WGMMA_SUMS_184(d) WGMMA_SUMS_176(d), WGMMA_IN_OUT(d[88]), WGMMA_IN_OUT(d[89]), WGMMA_IN_OUT(d[90]), WGMMA_IN_OUT(d[91])
#define WGMMA_NAMES_192 WGMMA_NAMES_184 ",%95,%96,%97,%98"
#define WGMMA_SUMS_192(d) WGMMA_SUMS_184(d), WGMMA_IN_OUT(d[92]), WGMMA_IN_OUT(d[93]), WGMMA_IN_OUT(d[94]), WGMMA_IN_OUT(d[95])
#define WGMMA_NAMES_200 WGMMA_NAMES_192 ",%99,%100,%101,%102"
#define WGMMA_SUMS_200(d) WGMMA_SUMS_192(d), WGMMA_IN_OUT(d[96]), WGMMA_IN_OUT(d[97]), WGMMA_IN_OUT(d[98]), WGMMA_IN_OUT(d[99])
#define WGMMA_NAMES_208 WGMMA_NAMES_200 ",%103,%104,%105,%106"
#define WGMMA_SUMS_208(d) WGMMA_SUMS_200(d), WGMMA_IN_OUT(d[100]), WGMMA_IN_OUT(d[101]), WGMMA_IN_OUT(d[102]), WGMMA_IN_OUT(d[103])
#define WGMMA_NAMES_216 WGMMA_NAMES_208 ",%107,%108,%109,%110"
#define WGMMA_SUMS_216(d) WGMMA_SUMS_208(d), WGMMA_IN_OUT(d[104]), WGMMA_IN_OUT(d[105]), WGMMA_IN_OUT(d[106]), WGMMA_IN_OUT(d[107])
#define WGMMA_NAMES_224 WGMMA_NAMES_216 ",%111,%112,%113,%114"
#define WGMMA_SUMS_224(d) WGMMA_SUMS_216(d), WGMMA_IN_OUT(d[108]), WGMMA_IN_OUT(d[109]), WGMMA_IN_OUT(d[110]), WGMMA_IN_OUT(d[111])
#define WGMMA_NAMES_232 WGMMA_NAMES_224 ",%115,%116,%117,%118"
#define WGMMA_SUMS_232(d) WGMMA_SUMS_224(d), WGMMA_IN_OUT(d[112]), WGMMA_IN_OUT(d[113]), WGMMA_IN_OUT(d[114]), WGMMA_IN_OUT(d[115])
#define WGMMA_NAMES_240 WGMMA_NAMES_232 ",%119,%120,%121,%122"
#define WGMMA_SUMS_240(d) WGMMA_SUMS_232(d), WGMMA_IN_OUT(d[116]), WGMMA_IN_OUT(d[117]), WGMMA_IN_OUT(d[118]), WGMMA_IN_OUT(d[119])
#define WGMMA_NAMES_248 WGMMA_NAMES_240 ",%123,%124,%125,%126"
#define WGMMA_SUMS_248(d) WGMMA_SUMS_240(d), WGMMA_IN_OUT(d[120]), WGMMA_IN_OUT(d[121]), WGMMA_IN_OUT(d[122]), WGMMA_IN_OUT(d[123])
#define WGMMA_NAMES_256 WGMMA_NAMES_248 ",%127,%128,%129,%130"
#define WGMMA_SUMS_256(d) WGMMA_SUMS_248(d), WGMMA_IN_OUT(d[124]), WGMMA_IN_OUT(d[125]), WGMMA_IN_OUT(d[126]), WGMMA_IN_OUT(d[127])

/* Where an operand begins, how far its blocks lie apart, and the swizzle. */
#if SHALLOW
/* Rows of 64 bytes, in blocks of eight. */
#define DESCRIPTOR_ALONG_K ((tw_u64)2 << 62 | (tw_u64)(512 >> 4) << 32 | (tw_u64)1 << 16)
#else
#define DESCRIPTOR_ALONG_K ((tw_u64)1 << 62 | (tw_u64)(1024 >> 4) << 32 | (tw_u64)1 << 16)
#endif
#define DESCRIPTOR_ACROSS_K ((tw_u64)1 << 62 | (tw_u64)(1024 >> 4) << 32 | (tw_u64)(8192 >> 4) << 16)

HOPPER tw_u64 operand_along_k(tw_u32 at)
{
    return DESCRIPTOR_ALONG_K | (tw_u64)((at & 0x3FFFF) >> 4);
}

HOPPER tw_u64 operand_across_k(tw_u32 at)
{
    return DESCRIPTOR_ACROSS_K | (tw_u64)((at & 0x3FFFF) >> 4);
}

/* Queues one instruction; `add` 0 forgets what the sums held. The descriptors count as changed, so that they
 * come before the sums, whose number varies. Only elements of two bytes may lie across K; whole numbers have no
 * signs to choose. */
#if OPERAND_SIZE == 2
#define WGMMA_SHAPE "k16"
#define WGMMA_SIGNS ", 1, 1, " TEXT(ROWS_ACROSS_K) ", " TEXT(COLUMNS_ACROSS_K)
#elif OPERAND_SIZE == 4
#define WGMMA_SHAPE "k8"
#define WGMMA_SIGNS ", 1, 1"
#elif DTYPE == DTYPE_i8
#define WGMMA_SHAPE "k32"
#define WGMMA_SIGNS ""
#else
#define WGMMA_SHAPE "k32"
#define WGMMA_SIGNS ", 1, 1"
#endif
#define WGMMA(sums, rows, columns, add)                                                                  \
    asm volatile("{.reg .pred p;\n setp.ne.b32 p, %2, 0;\n wgmma.mma_async.sync.aligned.m64n" TEXT(     \
                     BN) WGMMA_SHAPE "." WGMMA_RESULT "." ROWS_TYPE "." COLUMNS_TYPE                     \
                         " {" JOIN(WGMMA_NAMES_, BN) "}, %0, %1, p" WGMMA_SIGNS ";}"                     \
                 : "+l"(rows), "+l"(columns), "+r"(add), JOIN(WGMMA_SUMS_, BN)(sums))

/* Before the first instruction that reads or writes the sums, and between queueing and using them. */
#define WGMMA_BEGIN() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
/* Waits until at most `n` groups are under way. */
#define WGMMA_WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
