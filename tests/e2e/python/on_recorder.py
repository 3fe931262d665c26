"""What libtilewise is given for arrays on a GPU, seen by a library that does nothing but keep it (recorder.c)."""

import ctypes
import unittest

import numpy

import tilewise
from tilewise import _native

RECORDER = _native.library
DESCRIPTOR = _native.GemmDescriptor.in_dll(RECORDER, "recorded")
BUFFERS = (ctypes.c_void_p * 3).in_dll(RECORDER, "recorded_buffers")
STREAM = ctypes.c_void_p.in_dll(RECORDER, "recorded_stream")
NUMBERS = (ctypes.c_int64 * 6).in_dll(RECORDER, "recorded_numbers")
CALLS = ctypes.c_int.in_dll(RECORDER, "recorded_calls")
STATUS = ctypes.c_int.in_dll(RECORDER, "recorder_status")


class OnGpu:
    """An array as Numba's: it has the CUDA array interface and nothing else."""

    def __init__(self, shape, typestr="<f4", address=0x10000, strides=None, stream=None, read_only=False):
        self.__cuda_array_interface__ = {
            "version": 3, "shape": shape, "typestr": typestr, "data": (address, read_only), "strides": strides,
            "stream": stream,
        }  # fmt: skip
        self.address = address


class WithDlpack:
    """An array as JAX's: DLPack and nothing else. Here one of the host's."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


A, B, C, BIAS, E = (0x10000 * (i + 1) for i in range(5))


class Recorded(unittest.TestCase):
    def test_a_product(self):
        a, b, c = OnGpu((20, 30), address=A), OnGpu((30, 40), address=B), OnGpu((20, 40), address=C)
        self.assertIs(tilewise.gemm(a, b, out=c, alpha=2), c)
        self.assertEqual(list(BUFFERS), [A, B, C])
        self.assertIsNone(STREAM.value)
        d = DESCRIPTOR
        self.assertEqual((d.m, d.n, d.k, d.lda, d.ldb, d.ldc), (20, 40, 30, 30, 40, 40))
        self.assertEqual((d.transposes, d.alpha, d.beta, d.batch_count), (0, 2, 0, 0))
        self.assertEqual((d.a_type, d.b_type, d.c_type, d.compute_type), (b"f32", b"f32", b"f32", None))
        self.assertEqual((d.size, d.bias, d.e, d.activation), (ctypes.sizeof(d), None, None, 0))

    def test_strides(self):
        a = OnGpu((20, 30), address=A, strides=(4, 4 * 24))
        b = OnGpu((30, 40), address=B, strides=(4 * 48, 4))
        tilewise.gemm(a, b, out=OnGpu((20, 40), address=C))
        d = DESCRIPTOR
        self.assertEqual((d.transposes, d.lda, d.ldb), (2, 24, 48))
        # A result that lies column by column is the transpose of the transposes' product.
        tilewise.gemm(a, b, out=OnGpu((20, 40), address=C, strides=(4, 4 * 20)))
        self.assertEqual(list(BUFFERS), [B, A, C])
        self.assertEqual((d.m, d.n, d.k, d.transposes, d.lda, d.ldb, d.ldc), (40, 20, 30, 2, 48, 24, 20))

    def test_everything_at_once(self):
        a, b = OnGpu((2, 20, 30), "<f2", A, stream=7), OnGpu((2, 30, 40), "<f2", B)
        c, e = OnGpu((2, 20, 40), "<f4", C), OnGpu((2, 20, 40), "<f4", E)
        tilewise.gemm(a, b, out=c, c=e, bias=OnGpu((20,), "<f4", BIAS), bias_along="rows", activation="gelu", beta=0.5)
        d = DESCRIPTOR
        self.assertEqual((d.bias, d.e, d.bias_along, d.activation, d.beta), (BIAS, E, 1, 2, 0.5))
        self.assertEqual((d.batch_count, d.batch_stride_a, d.batch_stride_b, d.batch_stride_c, d.batch_stride_e),
                         (2, 600, 1200, 800, 800))
        self.assertEqual((d.a_type, d.c_type), (b"f16", b"f32"))
        # The array's own stream, or the one that is asked for.
        self.assertEqual(STREAM.value, 7)
        tilewise.gemm(a, b, out=c, stream=9)
        self.assertEqual(STREAM.value, 9)
        self.assertEqual((d.bias, d.e), (None, None))

    def test_moves(self):
        a = OnGpu((20, 30), "<f8", A)
        tilewise.transpose(a, out=OnGpu((30, 20), "<f8", B))
        self.assertEqual(list(NUMBERS), [ord("t"), 8, 20, 30, 30, 20])
        self.assertEqual(list(BUFFERS)[:2], [A, B])
        turned = OnGpu((30, 20), "<f8", A, strides=(8, 8 * 32))
        tilewise.transpose(turned, out=OnGpu((20, 30), "<f8", B, stream=3))
        self.assertEqual(list(NUMBERS), [ord("c"), 8, 20, 30, 32, 30])
        tilewise.aat(OnGpu((20, 30), address=A), out=OnGpu((20, 20), address=B))
        self.assertEqual(list(NUMBERS), [ord("a"), 4, 20, 30, 30, 20])

    def test_errors_are_the_library_s(self):
        a = OnGpu((8, 8), address=A)
        for status, kind in ((1, tilewise.InvalidError), (3, LookupError), (5, MemoryError), (7, tilewise.Error)):
            STATUS.value = status
            with self.assertRaisesRegex(kind, "^the recorder was told to fail$"):
                tilewise.gemm(a, a, out=OnGpu((8, 8), address=C))
            with self.assertRaises(kind):
                tilewise.transpose(a, out=OnGpu((8, 8), address=C))
            STATUS.value = 0

    def test_what_is_refused_before(self):
        a, before = OnGpu((8, 8), address=A), CALLS.value
        wrong = [
            (TypeError, "give out=", {"a": a, "b": a}),
            (ValueError, "out and a overlap", {"a": a, "b": a, "out": OnGpu((8, 8), address=A + 4 * 63)}),
            (ValueError, "out and bias overlap", {"a": a, "b": a, "out": OnGpu((8, 8), address=C),
                                                  "bias": OnGpu((8,), address=C + 4 * 60)}),
            (ValueError, "out and c overlap", {"a": a, "b": a, "out": OnGpu((8, 8), address=C),
                                               "c": OnGpu((8, 8), address=C - 4)}),
            (ValueError, "out cannot be written to", {"a": a, "b": a, "out": OnGpu((8, 8), address=C, read_only=True)}),
            (ValueError, "a is on cuda and b on host", {"a": a, "b": numpy.ones((8, 8), "f"), "out": a}),
            (ValueError, "strides of (33, 4) bytes", {"a": OnGpu((8, 8), address=A, strides=(33, 4)), "b": a, "out": a}),
        ]
        for kind, says, arguments in wrong:
            with self.assertRaises(kind) as caught:
                tilewise.gemm(**arguments)
            self.assertIn(says, str(caught.exception))
        self.assertEqual(CALLS.value, before)

    def test_dlpack(self):
        from tilewise._arrays import family_of

        values = numpy.arange(24.0).reshape(4, 6)[1:, ::2]
        family = family_of(WithDlpack(values), "a")
        view = family.view(WithDlpack(values), "a")
        self.assertEqual((view.shape, view.strides, view.type, view.device), ((3, 3), (6, 2), "f64", "host"))
        self.assertEqual(family.pointer(WithDlpack(values)), values.ctypes.data)
        with self.assertRaisesRegex(TypeError, "give out="):
            family.empty(WithDlpack(values), (1, 1), "f32")

    def test_what_is_kept_is_bounded(self):
        from tilewise import _library

        a, c = OnGpu((8, 8), address=A), OnGpu((8, 8), address=C)
        for i in range(_library.MOST_CALLS + 10):
            tilewise.gemm(a, a, out=c, alpha=i)
        self.assertLessEqual(len(_library.calls), _library.MOST_CALLS)


if __name__ == "__main__":
    unittest.main()
