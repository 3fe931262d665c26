"""Writes the files beside it again: python write.py FOLDER, with kernel_tuner and pyopencl installed.

Twelve configurations of a matrix product whose parameters are those of gemm's implementation `naive`,
one of which does not compile and one of which needs too many threads.
"""

import os
import sys

import kernel_tuner
import numpy
from kernel_tuner.file_utils import store_output_file

M, N, K = 64, 48, 32
SOURCE = """
#if BLOCK_X == 32 && BLOCK_Y == 4
#error uses too much shared data
#endif
__kernel void matmul_naive(__global float *C, __global const float *A, __global const float *B) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= 48 || y >= 64)
        return;
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += A[y * 32 + k] * B[k * 48 + x];
    C[y * 48 + x] = sum;
}
"""


def main(folder):
    os.makedirs(folder, exist_ok=True)
    random = numpy.random.default_rng(1)
    a = random.random((M, K), dtype=numpy.float32)
    b = random.random((K, N), dtype=numpy.float32)
    c = numpy.zeros((M, N), numpy.float32)
    parameters = {"BLOCK_X": [8, 16, 32, 256], "BLOCK_Y": [4, 8, 32]}
    results, _ = kernel_tuner.tune_kernel(
        "matmul_naive", SOURCE, (N, M), [c, a, b], parameters, lang="OpenCL",
        block_size_names=["BLOCK_X", "BLOCK_Y", "BLOCK_Z"], grid_div_x=["BLOCK_X"], grid_div_y=["BLOCK_Y"],
        answer=[a @ b, None, None], atol=1e-4, iterations=5, cache=os.path.join(folder, "cache.json"))
    store_output_file(os.path.join(folder, "t4.json"), results, parameters)


if __name__ == "__main__":
    main(sys.argv[1])
