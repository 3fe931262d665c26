/* NVIDIA's disassembler, run as a process. */
#ifndef TUNER_INSPECT_DISASSEMBLER_H
#define TUNER_INSPECT_DISASSEMBLER_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

struct disassembler {
    char path[4096];
    const char *option; /* that has it print code */
};

/* nvdisasm or else cuobjdump, on PATH or where the CUDA toolkit has its programs (CUDA_PATH,
 * CUDA_HOME, /usr/local/cuda). TW_UNAVAILABLE when there is neither, saying where to get one. */
tw_status disassembler_find(struct disassembler *disassembler, struct tw_error *error);

/* Appends the listing of a cubin. A failure has the program's own first words. */
tw_status disassembler_run(const struct disassembler *disassembler, const void *cubin, size_t size,
                           struct tw_text *listing, struct tw_error *error);

#endif
