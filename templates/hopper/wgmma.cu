/* wgmma: a warpgroup multiplies 64 rows of one operand in shared memory with BN columns of another, 32
 * bytes of K at a time, and adds to registers (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions").
 *
 * Both operands lie there as the copy engine writes them with 128-byte swizzle, in blocks of 1024 bytes:
 * 8 rows of 128 bytes. Along K (K is contiguous in memory) a row is 64 elements of K and the next block the
 * next 8 rows of the operand; across K (rows of the operand are contiguous) a row of a block is 64 rows of the
 * operand, the next block the next 8 of K, and after 64 of K come the next 64 rows. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#if DTYPE == DTYPE_bf16
#define WGMMA_TYPE "bf16"
#else
#define WGMMA_TYPE "f16"
#endif

/* The sums are so many registers of one instruction: their names in its text, and the operands behind
 * them, for every width of a tile. Operands 0 to 2 are the descriptors and whether to add. */
#define WGMMA_NAMES_8 "%3,%4,%5,%6"
#define WGMMA_SUMS_8(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define WGMMA_NAMES_16 WGMMA_NAMES_8 ",%7,%8,%9,%10"
#define WGMMA_SUMS_16(d) WGMMA_SUMS_8(d), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define WGMMA_NAMES_24 WGMMA_NAMES_16 ",%11,%12,%13,%14"
#define WGMMA_SUMS_24(d) WGMMA_SUMS_16(d), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define WGMMA_NAMES_32 WGMMA_NAMES_24 ",%15,%16,%17,%18"
#define WGMMA_SUMS_32(d) WGMMA_SUMS_24(d), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define WGMMA_NAMES_40 WGMMA_NAMES_32 ",%19,%20,%21,%22"
#define WGMMA_SUMS_40(d) WGMMA_SUMS_32(d), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19])
#define WGMMA_NAMES_48 WGMMA_NAMES_40 ",%23,%24,%25,%26"
#define WGMMA_SUMS_48(d) WGMMA_SUMS_40(d), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23])
#define WGMMA_NAMES_56 WGMMA_NAMES_48 ",%27,%28,%29,%30"
#define WGMMA_SUMS_56(d) WGMMA_SUMS_48(d), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#define WGMMA_NAMES_64 WGMMA_NAMES_56 ",%31,%32,%33,%34"
#define WGMMA_SUMS_64(d) WGMMA_SUMS_56(d), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define WGMMA_NAMES_72 WGMMA_NAMES_64 ",%35,%36,%37,%38"
#define WGMMA_SUMS_72(d) WGMMA_SUMS_64(d), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35])
#define WGMMA_NAMES_80 WGMMA_NAMES_72 ",%39,%40,%41,%42"
#define WGMMA_SUMS_80(d) WGMMA_SUMS_72(d), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39])
#define WGMMA_NAMES_88 WGMMA_NAMES_80 ",%43,%44,%45,%46"
#define WGMMA_SUMS_88(d) WGMMA_SUMS_80(d), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43])
#define WGMMA_NAMES_96 WGMMA_NAMES_88 ",%47,%48,%49,%50"
#define WGMMA_SUMS_96(d) WGMMA_SUMS_88(d), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define WGMMA_NAMES_104 WGMMA_NAMES_96 ",%51,%52,%53,%54"
#define WGMMA_SUMS_104(d) WGMMA_SUMS_96(d), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51])
#define WGMMA_NAMES_112 WGMMA_NAMES_104 ",%55,%56,%57,%58"
#define WGMMA_SUMS_112(d) WGMMA_SUMS_104(d), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
#define WGMMA_NAMES_120 WGMMA_NAMES_112 ",%59,%60,%61,%62"
#define WGMMA_SUMS_120(d) WGMMA_SUMS_112(d), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
#define WGMMA_NAMES_128 WGMMA_NAMES_120 ",%63,%64,%65,%66"
#define WGMMA_SUMS_128(d) WGMMA_SUMS_120(d), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define WGMMA_NAMES_136 WGMMA_NAMES_128 ",%67,%68,%69,%70"
#define WGMMA_SUMS_136(d) WGMMA_SUMS_128(d), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67])
#define WGMMA_NAMES_144 WGMMA_NAMES_136 ",%71,%72,%73,%74"
#define WGMMA_SUMS_144(d) WGMMA_SUMS_136(d), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71])
#define WGMMA_NAMES_152 WGMMA_NAMES_144 ",%75,%76,%77,%78"
#define WGMMA_SUMS_152(d) WGMMA_SUMS_144(d), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75])
#define WGMMA_NAMES_160 WGMMA_NAMES_152 ",%79,%80,%81,%82"
#define WGMMA_SUMS_160(d) WGMMA_SUMS_152(d), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79])
#define WGMMA_NAMES_168 WGMMA_NAMES_160 ",%83,%84,%85,%86"
#define WGMMA_SUMS_168(d) WGMMA_SUMS_160(d), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83])
#define WGMMA_NAMES_176 WGMMA_NAMES_168 ",%87,%88,%89,%90"
#define WGMMA_SUMS_176(d) WGMMA_SUMS_168(d), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87])
#define WGMMA_NAMES_184 WGMMA_NAMES_176 ",%91,%92,%93,%94"
#define WGMMA_SUMS_184(d) WGMMA_SUMS_176(d), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91])
#define WGMMA_NAMES_192 WGMMA_NAMES_184 ",%95,%96,%97,%98"
#define WGMMA_SUMS_192(d) WGMMA_SUMS_184(d), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define WGMMA_NAMES_200 WGMMA_NAMES_192 ",%99,%100,%101,%102"
#define WGMMA_SUMS_200(d) WGMMA_SUMS_192(d), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99])
#define WGMMA_NAMES_208 WGMMA_NAMES_200 ",%103,%104,%105,%106"
#define WGMMA_SUMS_208(d) WGMMA_SUMS_200(d), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103])
#define WGMMA_NAMES_216 WGMMA_NAMES_208 ",%107,%108,%109,%110"
#define WGMMA_SUMS_216(d) WGMMA_SUMS_208(d), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107])
#define WGMMA_NAMES_224 WGMMA_NAMES_216 ",%111,%112,%113,%114"
#define WGMMA_SUMS_224(d) WGMMA_SUMS_216(d), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define WGMMA_NAMES_232 WGMMA_NAMES_224 ",%115,%116,%117,%118"
#define WGMMA_SUMS_232(d) WGMMA_SUMS_224(d), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115])
#define WGMMA_NAMES_240 WGMMA_NAMES_232 ",%119,%120,%121,%122"
#define WGMMA_SUMS_240(d) WGMMA_SUMS_232(d), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119])
#define WGMMA_NAMES_248 WGMMA_NAMES_240 ",%123,%124,%125,%126"
#define WGMMA_SUMS_248(d) WGMMA_SUMS_240(d), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123])
#define WGMMA_NAMES_256 WGMMA_NAMES_248 ",%127,%128,%129,%130"
#define WGMMA_SUMS_256(d) WGMMA_SUMS_248(d), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])

/* Where an operand begins, how far its blocks lie apart, and the swizzle. */
#define DESCRIPTOR_ALONG_K ((tw_u64)1 << 62 | (tw_u64)(1024 >> 4) << 32 | (tw_u64)1 << 16)
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
 * come before the sums, whose number varies. */
#define WGMMA(sums, rows, columns, add)                                                                  \
    asm volatile("{.reg .pred p;\n setp.ne.b32 p, %2, 0;\n wgmma.mma_async.sync.aligned.m64n" TEXT(     \
                     BN) "k16.f32." WGMMA_TYPE "." WGMMA_TYPE                                            \
                         " {" JOIN(WGMMA_NAMES_, BN) "}, %0, %1, p, 1, 1, " TEXT(                        \
                             ROWS_ACROSS_K) ", " TEXT(COLUMNS_ACROSS_K) ";}"                             \
                 : "+l"(rows), "+l"(columns), "+r"(add), JOIN(WGMMA_SUMS_, BN)(sums))

/* Before the first instruction that reads or writes the sums, and between queueing and using them. */
#define WGMMA_BEGIN() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
/* Waits until at most `n` groups are under way. */
#define WGMMA_WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
