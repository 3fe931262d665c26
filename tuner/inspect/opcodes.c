/* What instructions do, by their opcodes (CUDA Binary Utilities, instruction set reference). */
#include <string.h>

#include "tuner/inspect/sass.h"

static const struct {
    enum sass_kind kind;
    const char *names; /* between spaces */
} opcodes[] = {
    {SASS_FFMA, " FFMA FFMA32I "},
    {SASS_FFMA2, " FFMA2 "},
    {SASS_DFMA, " DFMA "},
    {SASS_TENSOR,
     " HMMA DMMA IMMA BMMA QMMA OMMA HGMMA QGMMA IGMMA BGMMA UTCHMMA UTCQMMA UTCIMMA UTCOMMA "},
    {SASS_FLOAT,
     " FADD FADD2 FADD32I FMUL FMUL2 FMUL32I FSETP FSET FMNMX FMNMX3 FSEL FCHK DADD DMUL DSETP "
     "DMNMX HADD2 HMUL2 HFMA2 MUFU F2F F2FP F2I F2IP I2F I2FP FRND "},
    /* Uniform ones, with a U before, are issued as all others are. */
    {SASS_INTEGER,
     " IADD IADD3 IADD32I VIADD VIADDMNMX VIMNMX VIMNMX3 IMNMX IMAD IMUL IMUL32I IDP IABS LEA LOP "
     "LOP3 LOP32I SHF SHL SHR ISETP BMSK SGXT PRMT FLO POPC BREV SEL UIADD3 UIMAD UIABS ULEA ULOP "
     "ULOP3 USHF USHL USHR UISETP UBMSK USGXT UPRMT UFLO UPOPC UBREV USEL UVIADD UVIMNMX "
     "UVIADDMNMX "},
    {SASS_MOVE, " MOV MOV32I UMOV CS2R CS2UR S2R S2UR R2UR LDC ULDC LDCU R2P P2R UP2UR UR2UP "},
    {SASS_SHARED_LOAD, " LDS LDSM "},
    {SASS_SHARED_STORE, " STS STSM "},
    {SASS_GLOBAL_LOAD, " LDG LD "},
    {SASS_GLOBAL_STORE, " STG ST "},
    {SASS_LOCAL_LOAD, " LDL "},
    {SASS_LOCAL_STORE, " STL "},
    {SASS_ASYNC_COPY, " LDGSTS "},
    {SASS_BULK_COPY, " UBLKCP UBLKPF UTMALDG UTMASTG UTMAPF UTMAREDG "},
    {SASS_BARRIER, " BAR UCGABAR_ARV UCGABAR_WAIT "},
    {SASS_BRANCH, " BRA BRX BRXU JMP JMX JMXU "},
    {SASS_EXIT, " EXIT RET "},
    {SASS_PADDING, " NOP "},
};

static bool has_name(const char *names, const char *opcode, size_t length) {
    for (const char *at = names; (at = strchr(at, ' ')) != NULL && at[1] != '\0'; at++)
        if (strncmp(at + 1, opcode, length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

enum sass_kind sass_kind_of(const char *opcode, const char *operands) {
    size_t length = strcspn(opcode, ".");
    /* Other units than that for moves make constants when they are idle: HFMA2.MMA R0, -RZ, RZ, 0,
     * 0 and IMAD.MOV. */
    if (length == 5 && strncmp(opcode, "HFMA2", 5) == 0 && strstr(operands, "-RZ, RZ") != NULL)
        return SASS_MOVE;
    if (strncmp(opcode, "IMAD.MOV", 8) == 0)
        return SASS_MOVE;
    /* On sm_80 some jumps are calls that never return. Functions have other labels. */
    if (strncmp(opcode, "CALL.", 5) == 0 && strstr(operands, "(.L_") != NULL)
        return SASS_BRANCH;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (has_name(opcodes[i].names, opcode, length))
            return opcodes[i].kind;
    return SASS_OTHER;
}

bool sass_has_modifier(const char *opcode, const char *modifier) {
    size_t length = strlen(modifier);
    for (const char *at = opcode; (at = strchr(at, '.')) != NULL; at++)
        if (strncmp(at + 1, modifier, length) == 0 &&
            (at[1 + length] == '.' || at[1 + length] == '\0'))
            return true;
    return false;
}

int sass_width(const char *opcode) {
    /* The last two are LDSM.16.M88.4 and its kin: matrices, of which a thread gets 32 bits each. */
    static const struct {
        const char *modifier;
        int bits;
    } widths[] = {{"U8", 8},    {"S8", 8},    {"U16", 16}, {"S16", 16}, {"64", 64},
                  {"128", 128}, {"256", 256}, {"2", 64},   {"4", 128}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (sass_has_modifier(opcode, widths[i].modifier))
            return widths[i].bits;
    return 32;
}
