"""What libtilewise is given for arrays on a GPU, seen by a library that does nothing but keep it (recorder.c)."""

import ctypes
import importlib.util
import sys
import unittest
import unittest.mock
import weakref

import attributes
import exchange
import numpy

import tilewise
from tilewise import _library, _native

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


def given():
    """What the library was given last."""
    return bytes(DESCRIPTOR), list(BUFFERS), STREAM.value


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
        for word in ("f32_split", "bf16x3"):
            tilewise.aat(OnGpu((20, 30), address=A), out=OnGpu((20, 20), address=B), compute=word)
            self.assertEqual(list(NUMBERS), [ord(word[0]), ctypes.sizeof(_native.AatDescriptor), 20, 30, 30, 20])
        with self.assertRaisesRegex(ValueError, "compute is 'fast'"):
            tilewise.aat(OnGpu((20, 30), address=A), out=OnGpu((20, 20), address=B), compute="fast")

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


class Exchanged(unittest.TestCase):
    """Arrays of a package with DLPack's C exchange interface, which calls that are known look at without Python."""

    def setUp(self):
        tilewise.reload()
        exchange.looks.clear()
        self.a, self.b, self.c = (exchange.Array((20, 30), A), exchange.Array((30, 40), B), exchange.Array((20, 40), C))

    def twice(self, *arrays, **options):
        """What the library is given by a call that was not met, and by the same one again."""
        tilewise.gemm(*arrays, **options)
        first = given()
        exchange.looks.clear()
        tilewise.gemm(*arrays, **options)
        self.assertEqual(given(), first)
        self.assertEqual(exchange.looks, [], "it was met before, and Python looked at it")

    def test_calls_are_the_same(self):
        a, b, c = self.a, self.b, self.c
        bias, e = exchange.Array((40,), BIAS), exchange.Array((20, 40), E)
        for options in ({}, {"alpha": 2}, {"alpha": 1.0}, {"activation": "relu"}, {"bias": bias}, {"c": e},
                        {"bias": bias, "c": e, "beta": 0.5, "activation": "gelu"}, {"c": c}, {"beta": 3}, {"stream": 9},
                        {"compute": "tf32"}):  # fmt: skip
            with self.subTest(options):
                self.twice(a, b, out=c, **options)
                d = DESCRIPTOR
                self.assertEqual((d.m, d.n, d.k, list(BUFFERS)), (20, 40, 30, [A, B, C]))
                self.assertEqual(STREAM.value, options.get("stream", exchange.STREAM))
                self.assertEqual((d.alpha, d.bias, d.e), (options.get("alpha", 1), BIAS if "bias" in options else None,
                                                          E if options.get("c") is e else None))  # fmt: skip
                self.assertEqual(d.beta, options.get("beta", 1 if "c" in options else 0))

    def test_arrays_lie_in_other_ways(self):
        a, b = exchange.Array((20, 30), A, (1, 24)), exchange.Array((30, 40), B, (1, 48))
        self.twice(a, b, out=self.c)
        self.assertEqual((DESCRIPTOR.transposes, DESCRIPTOR.lda, DESCRIPTOR.ldb), (3, 24, 48))
        # A result that lies column by column is the transpose of the transposes' product.
        self.twice(a, b, out=exchange.Array((20, 40), C, (1, 20)))
        self.assertEqual((DESCRIPTOR.m, DESCRIPTOR.n, list(BUFFERS)), (40, 20, [B, A, C]))
        self.twice(exchange.Array((2, 20, 30), A), exchange.Array((2, 30, 40), B), out=exchange.Array((2, 20, 40), C))
        self.assertEqual((DESCRIPTOR.batch_count, DESCRIPTOR.batch_stride_a), (2, 600))

    def test_results_are_made(self):
        """By Python the first time, then in C where the package's maker has the type and does not fail."""
        self.addCleanup(exchange.unmade.clear)
        for options, number, bits in (({}, 6, 32), ({"dtype": "f64"}, 7, 64), ({"dtype": "f16"}, -1, 16)):
            for makes in (True, False):
                exchange.unmade.update(() if makes else (number,))
                exchange.makings.clear()
                tilewise.gemm(self.a, self.b, **options)
                for _ in range(2):
                    made = tilewise.gemm(self.a, self.b, **options)
                    self.assertEqual((made.shape, made.bits, made.address), ((20, 40), bits, BUFFERS[2]))
                    in_c = makes and number > 0
                    self.assertEqual(made.address, exchange.MADE_IN_C if in_c else exchange.MADE)
                    asked = ([20, 40], [40, 1], number, 1, 0)
                    self.assertEqual(exchange.makings[-1:], [asked] if number > 0 else [])
        self.assertEqual(exchange.handles, {})

    def test_more_calls_than_keys_are_kept(self):
        """In turns, with numbers that are other objects each time."""
        for turn in range(2):
            for i in range(1, 200):
                a, b, c = exchange.Array((i, 30), A), exchange.Array((30, 40), B), exchange.Array((i, 40), C)
                for alpha in (1.0, float(f"{i}.5")):
                    exchange.looks.clear()
                    tilewise.gemm(a, b, out=c, alpha=alpha)
                    self.assertEqual((DESCRIPTOR.m, DESCRIPTOR.alpha), (i, alpha))
                    self.assertEqual(bool(exchange.looks), turn == 0)

    def test_whether_gradients_are_wanted_is_asked_in_c(self):
        """Where there is something to ask."""
        says = [True]
        grad_mode = ctypes.CFUNCTYPE(ctypes.c_bool)(lambda: says[0])
        asks = _native.Exchange(exchange.capsule(), (exchange.Array,), lambda: self.fail("Python was asked"),
                                ctypes.cast(grad_mode, ctypes.c_void_p).value, exchange.MAKER)  # fmt: skip
        tilewise.gemm(self.a, self.b, out=self.c)
        call = (self.a, self.b, self.c, None, None, 1.0, None, None, None, None, "columns")
        known = _library.calls[exchange.EXCHANGE.key(*call)]
        self.assertIsNone(asks.gemm(_library.calls, False, None, *call), "another package's arrays")

        def again():
            return asks.gemm({asks.key(*call): known}, False, None, *call)

        self.assertIs(again(), self.c)
        self.a.requires_grad = True
        self.assertIsNone(again())
        says[0] = False
        self.assertIs(again(), self.c)

    def test_what_python_has_to_see(self):
        a, b, c = self.a, self.b, self.c
        tilewise.gemm(a, b, out=c)
        known = _library.calls
        options = (1.0, None, None, None, None, "columns")

        def again(*arrays, calls=known, traced=False):
            return exchange.EXCHANGE.gemm(calls, traced, None, *arrays, None, None, *options)

        self.assertIs(again(a, b, c), c)
        self.assertIsNone(again(a, b, c, calls={}))
        self.assertIsNone(again(a, OnGpu((30, 40), address=B), c))
        self.assertIsNone(again(exchange.Array((20, 30), A, (32, 1)), b, c))
        # Wrappers of tracers have no memory of their own.
        self.assertIsNone(again(exchange.Array((20, 30), exchange.OFFSET), b, c))
        self.assertIsNone(again(a, b, exchange.Array((20, 40), A + 4)))
        with self.assertRaisesRegex(ValueError, "out and a overlap"):
            tilewise.gemm(a, b, out=exchange.Array((20, 40), A + 4))
        # What may be the negative of what lies in memory.
        thin, result = exchange.Array((30, 1), B, (2, 2)), exchange.Array((20, 1), C)
        tilewise.gemm(a, thin, out=result)
        self.assertIsNone(again(a, thin, result))
        # Gradients, but for calls that somebody has traced.
        a.requires_grad = True
        self.assertIsNone(again(a, b, c))
        self.assertIs(again(a, b, c, traced=True), c)
        a.requires_grad = False
        # An array that cannot say where it is.
        exchange.broken.add(id(b))
        self.addCleanup(exchange.broken.clear)
        self.assertIsNone(again(a, b, c))
        self.assertIs(tilewise.gemm(a, b, out=c), c)

    def test_errors(self):
        tilewise.gemm(self.a, self.b, out=self.c)
        STATUS.value = 5
        self.addCleanup(setattr, STATUS, "value", 0)
        exchange.looks.clear()
        with self.assertRaisesRegex(MemoryError, "^the recorder was told to fail$"):
            tilewise.gemm(self.a, self.b, out=self.c)
        self.assertEqual(exchange.looks, [])

    def test_versions(self):
        grad, types = (lambda: False), (exchange.Array,)
        with self.assertRaisesRegex(LookupError, "exchange interface"):
            _native.Exchange(exchange.capsule(major=2), types, grad, 0, None)
        both = exchange.capsule(major=2, previous=exchange.INTERFACE)
        self.assertIsNotNone(_native.Exchange(both, types, grad, 0, None))
        with self.assertRaises(ValueError):
            _native.Exchange(exchange.capsule(name=b"another"), types, grad, 0, None)

    def take_host_for_gpu(self):
        """PyTorch's tensors of the host are taken for a GPU's. Their family."""
        from tilewise import _torch_arrays

        family = _torch_arrays.TORCH
        if family.exchange is None:
            self.skipTest("a PyTorch without DLPack's C exchange interface")
        view = family.view
        family.view = lambda tensor, name: view(tensor, name)._replace(device="cuda:0")
        family.stream = lambda view: lambda: 0
        self.addCleanup(delattr, family, "view")
        self.addCleanup(delattr, family, "stream")
        return family

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch here")
    def test_pytorch(self):
        """The CPU's tensors, taken for a GPU's."""
        import torch

        family = self.take_host_for_gpu()
        a, b = torch.ones(20, 30), torch.ones(30, 40)
        weights = torch.nn.Parameter(torch.ones(40, 30), requires_grad=False)
        for arrays in ((a, b), (a.T.contiguous().T, weights.T), (a.bfloat16(), b.bfloat16()), (torch.ones(2, 20, 30), b),
                       (torch.ones(2, 20, 30), torch.ones(2, 30, 40))):  # fmt: skip
            for options in ({}, {"bias": arrays[0].new_ones(40)}, {"activation": "silu"}):
                out = tilewise.gemm(*arrays, stream=0, **options)
                tilewise.gemm(*arrays, out=out, stream=0, **options)
                first, before = given(), CALLS.value
                with unittest.mock.patch.object(type(family), "together", side_effect=AssertionError("not known")):
                    self.assertIs(tilewise.gemm(*arrays, out=out, stream=0, **options), out)
                    made = tilewise.gemm(*arrays, stream=0, **options)
                self.assertEqual(CALLS.value, before + 2)
                self.assertEqual((made.shape, made.dtype, made.data_ptr()), (out.shape, out.dtype, BUFFERS[2]))
                tilewise.gemm(*arrays, out=out, stream=0, **options)
                self.assertEqual(given(), first)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch here")
    def test_families_are_known_to_c(self):
        """Whoever brought them: those that are looked at in C are found by it."""
        import torch

        import tilewise.torch
        from tilewise._arrays import _families, exchanges

        self.assertTrue({torch.Tensor, exchange.Array} <= set(_families))
        for kind, family in _families.items():
            self.assertIs(exchanges.get(kind), family.exchange)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch here")
    def test_new_tensors(self):
        """Made in C they are what `new_empty` makes."""
        import torch

        self.take_host_for_gpu()
        a, b = torch.ones(2, 20, 30), torch.ones(30, 40)
        for options in ({}, {"dtype": torch.float32}):
            for dtype in (torch.float32, torch.bfloat16, torch.float64, torch.float16, torch.int8):
                arrays = a.to(dtype), b.to(dtype)
                if options and dtype not in (torch.bfloat16, torch.float16):
                    continue
                wanted = tilewise.gemm(*arrays, stream=0, **options)
                wanted = arrays[0].new_empty(wanted.shape, dtype=wanted.dtype)
                with unittest.mock.patch.object(torch.Tensor, "new_empty", side_effect=AssertionError("by Python")):
                    made = tilewise.gemm(*arrays, stream=0, **options)
                for tell in (type, torch.Tensor.size, torch.Tensor.stride, torch.Tensor.is_inference,
                             lambda t: (t.dtype, t.device, t.layout, t.requires_grad, t.is_leaf, t._base, t.grad_fn,
                                        t.storage_offset(), t.untyped_storage().nbytes())):  # fmt: skip
                    self.assertEqual(tell(made), tell(wanted))
                self.assertEqual(made.data_ptr(), BUFFERS[2])
                self.assertEqual(sys.getrefcount(made), 2)
                kept = weakref.ref(made)
                del made
                self.assertIsNone(kept())
        with torch.inference_mode():
            self.assertTrue(tilewise.gemm(a, b, stream=0).is_inference())


class Told(unittest.TestCase):
    """Arrays whose attributes are read in C, as CuPy's."""

    def setUp(self):
        tilewise.reload()
        attributes.looks.clear()

    def again(self, *arrays, looked=(), **options):
        """A call that was made before, and what Python was asked for it."""
        attributes.looks.clear()
        result = tilewise.gemm(*arrays, **options)
        self.assertEqual(set(attributes.looks), set(looked))
        return result

    def test_calls_are_the_same(self):
        array = attributes.Array
        for a, b, out in (
            (array((20, 30), A), array((30, 40), B), array((20, 40), C)),
            (array((20, 30), A, strides=(4, 80)), array((30, 40), B, strides=(200, 4)), array((20, 40), C)),
            (array((2, 20, 30), A, "f8"), array((2, 30, 40), B, "f8"), array((2, 20, 40), C, "f8")),
        ):
            for options in ({}, {"bias": array((40,), BIAS, a.dtype)}, {"stream": 9}, {"activation": "relu"}):
                tilewise.gemm(a, b, out=out, **options)
                first = given()
                self.assertIs(self.again(a, b, out=out, **options), out)
                self.assertEqual(given(), first)
                self.assertEqual((list(BUFFERS), STREAM.value), ([A, B, C], options.get("stream", attributes.STREAM)))

    def test_results_are_made(self):
        a, b = attributes.Array((20, 30), A), attributes.Array((30, 40), B)
        self.addCleanup(attributes.current.__setitem__, 0, 0)
        tilewise.gemm(a, b)
        made = self.again(a, b)
        self.assertEqual((made.shape, made.dtype.name, BUFFERS[2]), ((20, 40), "float32", attributes.MADE))
        # One that was made on another device is of no use.
        attributes.current[0] = 1
        made = self.again(a, b, looked=("signature", "empty"))
        self.assertEqual((made.data.device_id, BUFFERS[2]), (0, attributes.MADE))

    def test_what_python_has_to_see(self):
        a, b, out = (attributes.Array(*made) for made in (((8, 8), A, "f2"), ((8, 8), B, "f2"), ((8, 8), C, "f2")))
        tilewise.gemm(a, b, out=out)
        self.again(a, b, out=out, looked=("signature",))
        # A stride that is no multiple of an element, and a shape that is no tuple.
        for wrong in (attributes.Array((8, 8), A, strides=(33, 4)), attributes.Array((8, 8), A)):
            wrong.shape = list(wrong.shape)
            self.assertIsNone(attributes.EXCHANGE.key(wrong, b, None, None, None, 1.0, None, None, None, None, "columns"))
        # A version that does not tell whether there are gaps.
        a, b, out = attributes.Array((8, 8), A), attributes.Array((8, 8), B), attributes.Array((8, 8), C)
        for array in (a, b, out):
            del array._c_contiguous
        tilewise.gemm(a, b, out=out)
        self.again(a, b, out=out)
        self.assertEqual(list(BUFFERS), [A, B, C])

    def test_packages_are_kept_apart(self):
        """Arrays that look the same have results of their own kind."""
        for module in (attributes, exchange):
            a, b = module.Array((20, 30), A), module.Array((30, 40), B)
            for _ in range(3):
                self.assertIs(type(tilewise.gemm(a, b)), module.Array)

    def test_streams_are_told_in_c(self):
        with self.assertRaises(ValueError):
            _native.attributes_exchange(attributes.TYPES, attributes.capsule(attributes.WRONG))


@unittest.skipIf(sys.version_info < (3, 12), "Python has no way to call a function of its own by another way")
class Hastened(unittest.TestCase):
    """Known calls without a frame of Python's."""

    def setUp(self):
        tilewise.reload()
        self.a, self.b, self.c = (exchange.Array((20, 30), A), exchange.Array((30, 40), B), exchange.Array((20, 40), C))

    def frames(self, *arrays, **options):
        """The functions that Python goes through."""
        seen = []
        sys.setprofile(lambda frame, event, _: seen.append(frame.f_code.co_name) if event == "call" else None)
        try:
            tilewise.gemm(*arrays, **options)
        finally:
            sys.setprofile(None)
        return seen

    def test_known_calls(self):
        for options in ({"out": self.c}, {"out": self.c, "activation": "relu", "stream": 9, "alpha": 2.5},
                        {"out": self.c, "bias": exchange.Array((40,), BIAS), "dtype": "f32"}):  # fmt: skip
            self.assertIn("_work_out", self.frames(self.a, self.b, **options))
            self.assertNotIn("gemm", self.frames(self.a, self.b, **options))
            self.assertEqual(list(BUFFERS), [A, B, C])
        tilewise.gemm(self.a, self.b, out=self.c)
        tilewise.reload()
        self.assertIn("_work_out", self.frames(self.a, self.b, out=self.c))

    def test_libraries(self):
        library = tilewise.Library("cuda:0")
        self.assertIn("_work_out", self.frames(self.a, self.b, out=self.c, library=library))
        self.assertNotIn("gemm", self.frames(self.a, self.b, out=self.c, library=library))
        library.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            tilewise.gemm(self.a, self.b, out=self.c, library=library)

    def test_it_is_called_as_before(self):
        tilewise.gemm(self.a, self.b, out=self.c)
        self.assertIs(tilewise.gemm(a=self.a, b=self.b, out=self.c), self.c)
        self.assertIs(tilewise.gemm(self.a, b=self.b, **{"out": self.c}), self.c)
        # A name that is equal and not the same object.
        self.assertIs(tilewise.gemm(self.a, self.b, **{"".join("ou") + "t": self.c}), self.c)
        for arguments, options, says in (((self.a,), {}, "missing 1 required"), ((self.a, self.b, self.c), {}, "takes 2"),
                                         ((self.a, self.b), {"nothing": 1}, "unexpected keyword"),
                                         ((self.a, self.b), {"a": 1}, "multiple values")):  # fmt: skip
            with self.assertRaisesRegex(TypeError, rf"^gemm\(\) .*{says}"):
                tilewise.gemm(*arguments, **options)


if __name__ == "__main__":
    unittest.main()
