/* Every contender there is. */
#ifndef TOOLS_BENCH_KINDS_H
#define TOOLS_BENCH_KINDS_H

#include "tools/bench/contender.h"

extern const struct contender contender_tilewise;
extern const struct contender contender_device_copy;
extern const struct contender contender_cublas_gemm, contender_cublas_syrk,
    contender_cublas_syrk_mirror, contender_cublas_geam;
extern const struct contender contender_cublaslt, contender_cublaslt_loop;
extern const struct contender contender_cudnn, contender_cudnn_engines;
extern const struct contender contender_clblast_gemm, contender_clblast_omatcopy;
extern const struct contender contender_openblas;

#endif
