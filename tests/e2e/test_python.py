"""The Python package on arrays: NumPy's through OpenCL, PyTorch's on a GPU."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import pythons

pythons.enter("numpy")
import numpy  # noqa: E402

import tilewise  # noqa: E402
from support import DEVICE, HERE, TUNE  # noqa: E402

ON_CUDA = DEVICE.startswith("cuda")


def array(values):
    """An array where the device can reach it."""
    if not ON_CUDA:
        return values
    import torch

    if values.ndim == 2 and values.flags.f_contiguous and not values.flags.c_contiguous:
        return torch.from_numpy(values.T).cuda().T
    return torch.from_numpy(numpy.ascontiguousarray(values)).cuda()


def host(result):
    return result.cpu().numpy() if hasattr(result, "cpu") else result


def numbers(*shape, seed=1, dtype="f"):
    return numpy.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


class Arrays(unittest.TestCase):
    def close(self, got, expected, tolerance=2e-6):
        got = host(got)
        self.assertEqual(got.shape, expected.shape)
        difference = numpy.abs(got.astype("d") - expected.astype("d")).max(initial=0)
        self.assertLessEqual(difference, tolerance * max(1, numpy.abs(expected).max(initial=0)))

    def refused(self, kind, says, call, *arguments, **options):
        with self.assertRaises(kind) as caught:
            call(*arguments, **options)
        message = str(caught.exception)
        self.assertIn(says, message)
        self.assertEqual(len(message.splitlines()), 1, message)
        return caught.exception


def plain_gemm(to):
    """A description of gemm by its naive kernel alone, which PoCL compiles ten times as fast as the others."""
    shutil.copytree(pythons.ROOT / "configs/gemm", to / "gemm")
    naive = to / "gemm/implementations/naive.json"
    text = naive.read_text()
    naive.write_text(text.replace('"naive": {', '"default": { "BLOCK_X": 16, "BLOCK_Y": 4 }, "naive": {'))
    whole = json.loads((pythons.ROOT / "configs/gemm.json").read_text())
    whole |= {"implementations": ["gemm/implementations/naive.json"], "fallback": [], "ladder": []}
    (to / "gemm.json").write_text(json.dumps(whole))
    return to / "gemm.json"


class Gemm(Arrays):
    @classmethod
    def setUpClass(cls):
        if not ON_CUDA:
            home = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-plain-"))
            cls.addClassCleanup(shutil.rmtree, home, ignore_errors=True)
            tilewise.set_default(tilewise.Library(DEVICE, descriptions=[plain_gemm(home)]))
            cls.addClassCleanup(tilewise.reload)

    def test_transposes_are_taken_from_strides(self):
        a, b = numbers(20, 30), numbers(30, 40, seed=2)
        self.close(tilewise.gemm(array(a), array(b)), a @ b)
        self.close(tilewise.gemm(*(array(numpy.asfortranarray(x)) for x in (a, b))), a @ b)
        # And as everybody has it, with whatever is chosen.
        with tilewise.Library(DEVICE) as library:
            self.close(tilewise.gemm(array(a), array(b), library=library), a @ b)

    def test_results_go_where_they_are_to(self):
        a, b = array(numbers(20, 30)), array(numbers(30, 40, seed=2))
        expected = host(a) @ host(b)
        out = array(numpy.full((20, 40), numpy.nan, "f"))
        self.assertIs(tilewise.gemm(a, b, out=out), out)
        self.close(out, expected)
        # Column by column, and with the bias along the other side then.
        bias = numbers(40, seed=3)
        out = array(numpy.full((40, 20), numpy.nan, "f")).T
        self.close(tilewise.gemm(a, b, out=out, bias=array(bias)), expected + bias)

    def test_scalars_addends_and_activations(self):
        a, b, c, bias = numbers(20, 30), numbers(30, 40, seed=2), numbers(20, 40, seed=3), numbers(40, seed=4)
        out = array(c.copy())
        self.close(tilewise.gemm(array(a), array(b), out=out, alpha=0.5, beta=2), 0.5 * (a @ b) + 2 * c)
        out = array(c.copy())
        self.close(tilewise.gemm(array(a), array(b), out=out, c=out), a @ b + c)
        got = tilewise.gemm(array(a), array(b), c=array(c), bias=array(bias), activation="relu")
        self.close(got, numpy.maximum(a @ b + c + bias, 0))
        # beta is 0 where there is nothing to multiply, and what out held is then not read.
        out = array(numpy.full((20, 40), numpy.nan, "f"))
        self.close(tilewise.gemm(array(a), array(b), out=out), a @ b)

    def test_parts_of_arrays(self):
        whole = numbers(24, 33)
        a, b = whole[1:21, 1:31], numbers(30, 41, seed=2)[:, 1:]
        if ON_CUDA:
            a, b = array(whole)[1:21, 1:31], array(numbers(30, 41, seed=2))[:, 1:]
        self.close(tilewise.gemm(a, b), host(a) @ host(b))

    def test_batches(self):
        a, b = numbers(3, 8, 12), numbers(3, 12, 10, seed=2)
        self.close(tilewise.gemm(array(a), array(b)), a @ b)
        # One matrix for all of them; and of leading dimensions there may be several.
        self.close(tilewise.gemm(array(a), array(b[0])), a @ b[0])
        several = tilewise.gemm(array(a.reshape(3, 1, 8, 12)), array(b.reshape(3, 1, 12, 10)))
        self.close(several, (a @ b).reshape(3, 1, 8, 10))

    def test_types(self):
        halves = [numbers(*shape).astype(numpy.float16) for shape in ((16, 24), (24, 16))]
        expected = halves[0].astype("f") @ halves[1].astype("f")
        widened = tilewise.gemm(*map(array, halves), dtype="float32")
        self.assertEqual(host(widened).dtype, numpy.float32)
        self.close(widened, expected, 1e-5)
        whole = [numpy.random.default_rng(i).integers(-128, 128, (16, 16)).astype(numpy.int8) for i in (1, 2)]
        product = host(tilewise.gemm(*map(array, whole)))
        self.assertEqual(product.dtype, numpy.int32)
        self.assertTrue((product == whole[0].astype("i") @ whole[1].astype("i")).all())

    @unittest.skipIf(ON_CUDA, "NumPy's")
    def test_types_of_ml_dtypes(self):
        try:
            import ml_dtypes
        except ImportError:
            self.refused(TypeError, "pip install ml_dtypes", tilewise._views.numpy_type, "bf16")
            self.skipTest("no ml_dtypes here")
        a, b = numbers(16, 24), numbers(24, 16, seed=2)
        for name, tolerance in (("bfloat16", 2e-2), ("float8_e4m3fn", 2e-2), ("float8_e5m2", 2e-2)):
            small = [x.astype(getattr(ml_dtypes, name)) for x in (a, b)]
            got = tilewise.gemm(*small)
            self.assertEqual(got.dtype, ml_dtypes.bfloat16)
            self.close(got.astype("f"), small[0].astype("f") @ small[1].astype("f"), tolerance)

    def test_nothing_to_do(self):
        empty = tilewise.gemm(array(numbers(0, 8)), array(numbers(8, 4)))
        self.assertEqual(tuple(empty.shape), (0, 4))
        c = numbers(5, 4)
        got = tilewise.gemm(array(numbers(5, 0)), array(numbers(0, 4)), out=array(c.copy()), beta=3)
        self.close(got, 3 * c)

    def test_what_is_refused(self):
        a, b = array(numbers(20, 30)), array(numbers(30, 40))
        invalid = tilewise.InvalidError
        self.refused(invalid, "a has 30 columns, and b 20 rows", tilewise.gemm, a, a)
        self.refused(invalid, "out has the shape (40, 20); the product is (20, 40)", tilewise.gemm, a, b,
                     out=array(numbers(40, 20)))
        self.refused(invalid, "bias is of f64, and the result of f32", tilewise.gemm, a, b,
                     bias=array(numbers(40, dtype="d")))
        self.refused(invalid, "there is neither c nor out", tilewise.gemm, a, b, beta=1)
        self.refused(invalid, "activation is 'tanh'; it is one of none, relu", tilewise.gemm, a, b, activation="tanh")
        self.refused(invalid, "compute is 'f99'", tilewise.gemm, a, b, compute="f99")
        self.refused(TypeError, "dtype is 'f99'; it must be one of f32, ", tilewise.gemm, a, b, dtype="f99")
        self.refused(invalid, "bias has the shape (30,)", tilewise.gemm, a, b, bias=array(numbers(30)))
        self.refused(invalid, "gemm multiplies matrices", tilewise.gemm, a[0], b)
        self.refused(invalid, "elements must lie one after the other", tilewise.gemm, a[::2, ::2], b[:15])
        self.refused(TypeError, "alpha is a str;", tilewise.gemm, a, b, alpha="2")
        self.refused(TypeError, "b is a list;", tilewise.gemm, a, [[1.0]])
        self.refused(TypeError, "a is of complex64, which no kernel takes", tilewise.gemm,
                     array(numbers(20, 30).astype("F")), b)
        square = array(numbers(20, 20))
        self.refused(invalid, "out and a overlap", tilewise.gemm, square, square, out=square)
        self.refused(invalid, "a is of f32 and b of f64; they must be of one type", tilewise.gemm, a,
                     array(numbers(30, 40, dtype="d")))
        self.refused(invalid, "copy was given no arrays", tilewise.launch, "copy", (2, 2), {})
        # What the library refuses is its own line.
        integers = array(numbers(20, 20).astype("i4"))
        error = self.refused(tilewise.Error, 'gemm has no A of "i32"', tilewise.gemm, integers, integers)
        self.assertIsInstance(error, ValueError)
        self.assertEqual(error.status, "INVALID")

    @unittest.skipIf(ON_CUDA, "NumPy's")
    def test_what_is_refused_of_numpy(self):
        a, b = numbers(20, 30), numbers(30, 40)
        fixed = numpy.zeros((20, 40), "f")
        fixed.flags.writeable = False
        self.refused(tilewise.InvalidError, "out cannot be written to", tilewise.gemm, a, b, out=fixed)
        self.refused(TypeError, "another machine's order of bytes", tilewise.gemm, a.astype(">f4"), b)
        self.refused(tilewise.InvalidError, "elements must lie", tilewise.gemm, a[:, ::-1], b)
        spread = numpy.broadcast_to(numbers(20, 30), (4, 20, 30))
        self.refused(tilewise.InvalidError, "overlap (a stride of 0)", tilewise.gemm, spread, numbers(4, 30, 5))
        with tilewise.Library("opencl") as library:
            self.refused(tilewise.InvalidError, "is in cuda:0, and this tilewise.Library works on opencl:0",
                         library.accept, "cuda:0", "a")
        self.refused(tilewise.InvalidError, "closed", tilewise.gemm, a, b, library=library)

    def test_from_many_threads(self):
        a, b = array(numbers(20, 30)), array(numbers(30, 40, seed=2))
        biases = [numbers(40, seed=i) for i in range(4)]
        tilewise.gemm(a, b, bias=array(biases[0]))
        expected, wrong = host(a) @ host(b), []

        def work(bias):
            for _ in range(20):
                got = host(tilewise.gemm(a, b, bias=array(bias)))
                if numpy.abs(got - (expected + bias)).max() > 1e-5:
                    wrong.append(bias)

        threads = [threading.Thread(target=work, args=(bias,)) for bias in biases]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Moves(Arrays):
    def test_transposes_and_copies(self):
        for dtype in ("f", numpy.float16):
            a = numbers(19, 33).astype(dtype)
            self.assertTrue((host(tilewise.transpose(array(a))) == a.T).all())
            self.assertTrue((host(tilewise.copy(array(a))) == a).all())
        # What lies the other way is moved by the other kernel.
        a = numbers(19, 33)
        self.assertTrue((host(tilewise.transpose(array(a).T)) == a).all())
        self.assertTrue((host(tilewise.copy(array(a).T)) == a.T).all())
        out = array(numpy.zeros((33, 19), "f"))
        self.assertIs(tilewise.transpose(array(a), out=out), out)
        self.assertTrue((host(out) == a.T).all())

    def test_a_times_its_transpose(self):
        a = numbers(20, 30)
        self.close(tilewise.aat(array(a)), a @ a.T)
        self.close(tilewise.aat(array(a), compute="f32"), a @ a.T)
        c = host(tilewise.aat(array(a), compute="f32_split"))
        self.close(c, a @ a.T)
        self.assertTrue((c == c.T).all())
        self.refused(tilewise.InvalidError, "compute is 'f64'; it is one of f32, f32_split", tilewise.aat, array(a),
                     compute="f64")
        self.close(tilewise.aat(array(numbers(4, 0))), numpy.zeros((4, 4)))

    def test_what_is_refused(self):
        a = array(numbers(20, 30))
        self.refused(tilewise.InvalidError, "out is (20, 30) of f32; the result is (30, 20) of f32", tilewise.transpose,
                     a, out=array(numbers(20, 30)))
        self.refused(tilewise.InvalidError, "aat takes one matrix of f32", tilewise.aat, array(numbers(4, 4, dtype="d")))
        self.refused(tilewise.InvalidError, "its rows must lie one after the other here", tilewise.aat,
                     array(numpy.asfortranarray(numbers(20, 30))))
        self.refused(tilewise.InvalidError, "it must be a matrix", tilewise.transpose, array(numbers(2, 3, 4)))
        self.refused(tilewise.InvalidError, "a and out overlap", tilewise.copy, a, out=a)


def convolved(x, w, stride, padding, dilation, groups):
    """A convolution in double, written down as it is defined."""
    (n, c, height, width), (f, _, r, s) = x.shape, w.shape
    x = numpy.pad(x.astype("d"), ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    oh = (height + 2 * padding[0] - dilation[0] * (r - 1) - 1) // stride[0] + 1
    ow = (width + 2 * padding[1] - dilation[1] * (s - 1) - 1) // stride[1] + 1
    y = numpy.zeros((n, f, oh, ow))
    for i in range(r):
        for j in range(s):
            down, across = i * dilation[0], j * dilation[1]
            seen = x[:, :, down : down + stride[0] * (oh - 1) + 1 : stride[0],
                     across : across + stride[1] * (ow - 1) + 1 : stride[1]]
            for g in range(groups):
                channels, filters = slice(g * c // groups, (g + 1) * c // groups), slice(g * f // groups, (g + 1) * f // groups)
                y[:, filters] += numpy.einsum("nchw,fc->nfhw", seen[:, channels], w[filters, :, i, j].astype("d"))
    return y


class Convolutions(Arrays):
    """Of a few problems only: each is compiled."""

    @staticmethod
    def last(values):
        """With the channels of a pixel together."""
        if ON_CUDA:
            import torch

            return array(values).contiguous(memory_format=torch.channels_last)
        return numpy.ascontiguousarray(values.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)

    def test_images_row_by_row(self):
        x, w, bias = numbers(2, 4, 9, 8), numbers(6, 2, 3, 3, seed=2), numbers(6, seed=3)
        expected = convolved(x, w, (2, 1), (1, 0), (1, 2), 2)
        got = tilewise.conv2d(array(x), array(w), array(bias), (2, 1), (1, 0), (1, 2), 2, activation="relu")
        self.close(got, numpy.maximum(expected + bias[:, None, None], 0))
        # A part of wider images, added to what is there already.
        wide, into = array(numbers(2, 4, 9, 12, seed=4)), array(numbers(2, 6, 5, 9, seed=5))
        before = host(into).copy()
        out = into[..., 1:5]
        got = tilewise.conv2d(wide[..., 2:10], array(w), None, (2, 1), (1, 0), (1, 2), 2, out=out, beta=1, alpha=2)
        self.assertIs(got, out)
        expected = 2 * convolved(host(wide)[..., 2:10], w, (2, 1), (1, 0), (1, 2), 2) + before[..., 1:5]
        self.close(out, expected)
        self.assertTrue((host(into)[..., 5:] == before[..., 5:]).all())

    def test_channels_of_a_pixel_together(self):
        x, w = numbers(2, 4, 7, 6), numbers(8, 4, 3, 2, seed=2)
        got = tilewise.conv2d(self.last(x), self.last(w), padding=1)
        self.close(got, convolved(x, w, (1, 1), (1, 1), (1, 1), 1))
        strides = got.stride() if ON_CUDA else tuple(step // 4 for step in got.strides)
        self.assertEqual(strides[1], 1)
        self.assertEqual(tuple(tilewise.conv2d(self.last(x[:0]), self.last(w)).shape), (0, 8, 5, 5))

    def test_what_is_refused(self):
        x, w = array(numbers(2, 4, 9, 8)), array(numbers(6, 4, 3, 3))
        invalid = tilewise.InvalidError
        for says, arguments, options in (
            ("are neither all of (images, channels, rows, columns) in memory nor", (x, self.last(numbers(6, 4, 3, 3))), {}),
            ("groups=3 must divide the 4 channels and the 6 filters", (x, w), {"groups": 3}),
            ("groups=0 must divide", (x, w), {"groups": 0}),
            ("with groups=2 filters must have 2 channels, which is their second size", (x, w), {"groups": 2}),
            ("is larger than the padded image", (x, w), {"dilation": 5}),
            ("a padding may be 0, the others must be at least 1", (x, w), {"stride": 0}),
            ("there is no out that it could multiply", (x, w), {"beta": 1}),
            ("stride is (1, 2, 3); it must be a whole number or two", (x, w), {"stride": (1, 2, 3)}),
            ("conv2d takes (images, channels, rows, columns)", (x[0], w), {}),
            ("only images may be none", (x[:, :0], w[:, :0]), {}),
            ("weight is of f64, and input of f32", (x, array(numbers(6, 4, 3, 3, dtype="d"))), {}),
            ("out has the shape (2, 4, 9, 8); the result is (2, 6, 7, 6)", (x, w), {"out": x}),
            ("bias has the shape (3,)", (x, w, array(numbers(3))), {}),
            ("output and input overlap", (x[:, :, :, :3], array(numbers(4, 4, 1, 1))), {"out": x[:, :, :, 2:5]}),
        ):
            self.refused(invalid, says, tilewise.conv2d, *arguments, **options)


class Groups(Arrays):
    def test_rows_in_groups(self):
        a, b, bias = numbers(10, 12), numbers(3, 12, 7, seed=2), numbers(3, 7, seed=3)
        ends = numpy.array([4, 4, 10], "i")
        expected = numpy.concatenate([a[:4] @ b[0], a[4:] @ b[2]])
        self.close(tilewise.gemm_grouped(array(a), array(b), array(ends)), expected)
        stored = numpy.ascontiguousarray(b.transpose(0, 2, 1))
        turned = array(stored).mT if ON_CUDA else stored.transpose(0, 2, 1)
        out = array(numpy.full((10, 7), numpy.nan, "f"))
        got = tilewise.gemm_grouped(array(a), turned, array(ends), bias=array(bias), activation="relu", out=out)
        self.assertIs(got, out)
        rows = numpy.repeat(bias, [4, 0, 6], 0)
        self.close(out, numpy.maximum(expected + rows, 0))
        self.assertEqual(tuple(tilewise.gemm_grouped(array(a[:0]), array(b), array(ends * 0)).shape), (0, 7))

    def test_what_is_refused(self):
        a, b, ends = array(numbers(10, 12)), array(numbers(3, 12, 7)), numpy.array([4, 4, 10], "i")
        for says, arguments, options in (
            ("they must be (M, K), (groups, K, N) and (groups,)", (a, b, array(ends[:2])), {}),
            ("ends is of i64", (a, b, array(ends.astype("l"))), {}),
            ("a has strides", (array(numpy.asfortranarray(numbers(10, 12))), b, array(ends)), {}),
            ("products in groups are of f32, f16, bf16 and e4m3",
             (array(numbers(10, 12, dtype="d")), array(numbers(3, 12, 7, dtype="d")), array(ends)), {}),
            ("out is (10, 8) of f32; it must be (10, 7) of f32", (a, b, array(ends)), {"out": array(numbers(10, 8))}),
            ("there is no out that it could multiply", (a, b, array(ends)), {"beta": 2}),
            ("bias is (3,) of f32; it must be (3, 7) of f32", (a, b, array(ends)), {"bias": array(numbers(3))}),
            ("products over nothing", (array(numbers(10, 0)), array(numbers(3, 0, 7)), array(ends)), {}),
        ):
            self.refused(tilewise.Error, says, tilewise.gemm_grouped, *arguments, **options)


class AnyKernel(Arrays):
    """A kernel of a user's own, and the built-in ones by their names."""

    @classmethod
    def setUpClass(cls):
        cls.library = tilewise.Library(DEVICE, descriptions=[HERE / "kernels/softmax.json"])
        cls.addClassCleanup(cls.library.close)

    def test_a_softmax(self):
        a = numbers(9, 21)
        b = array(numpy.zeros((9, 21), "f"))
        exponents = numpy.exp(a - a.max(1, keepdims=True))
        expected = exponents / exponents.sum(1, keepdims=True)
        tilewise.launch("softmax", (9, 21), {"A": array(a), "B": b}, library=self.library)
        self.close(b, expected)
        # Rows with gaps between them: strides are taken from the arrays.
        wide, into = array(numpy.hstack([a, a])), array(numpy.zeros((9, 25), "f"))
        tilewise.launch("softmax", (9, 21), {"A": wide[:, :21], "B": into[:, :21]}, library=self.library)
        self.close(host(into)[:, :21], expected)
        self.assertTrue((host(into)[:, 21:] == 0).all())

    def test_scalars_and_attributes(self):
        a, b = numbers(8, 6, dtype="d"), numbers(8, 7, seed=2, dtype="d")
        c = array(numpy.ones((6, 7)))
        tilewise.launch("gemm", (6, 7, 8), {"A": array(a), "B": array(b), "C": c, "alpha": 2, "beta": 3},
                        library=self.library, dtype="f64", trans="tn")
        self.close(c, 2 * (a.T @ b) + 3, 1e-14)

    def test_what_is_refused(self):
        a, b = array(numbers(9, 21)), array(numbers(9, 21))

        def refused(says, shape, bindings, kind=tilewise.InvalidError, kernel="softmax", **options):
            self.refused(kind, says, tilewise.launch, kernel, shape, bindings, library=self.library, **options)

        refused("softmax needs the buffer B", (9, 21), {"A": a})
        refused("softmax has no buffer 'C' for this problem; there are A, B", (9, 21), {"A": a, "B": b, "C": a})
        refused("softmax needs the buffer B, and was given a number for it", (9, 21), {"A": a, "B": 1.0})
        refused("softmax has no scalar 'alpha' for this problem; there are none", (9, 21), {"A": a, "B": b, "alpha": 1})
        refused("softmax: A has the shape (9, 21); it must be (9, 20)", (9, 20), {"A": a, "B": b})
        refused("A is of f64; it must be of f32", (9, 21), {"A": array(numbers(9, 21, dtype="d")), "B": b})
        refused("softmax: B and A overlap", (9, 21), {"A": a, "B": a})
        refused("another stride was said", (9, 21), {"A": a, "B": b}, strides=(30,))
        refused('unknown kernel "softmin"', (9, 21), {"A": a, "B": b}, tilewise.NotFoundError, kernel="softmin")

    def test_plans_and_what_they_say(self):
        plan = self.library.plan("softmax", (9, 21))
        told = plan.explanation
        self.assertEqual((told.kernel, told.rule), ("softmax", "default"))
        self.assertIn("LANES", told.configuration)
        self.assertIn(told.reason, str(told))
        self.assertIn("softmax M=9,N=21", repr(plan))
        self.library.prepare([tilewise.Problem("copy", (4, 4)), tilewise.Problem("copy", (4, 5), {"dtype": "u8"})])
        self.refused(tilewise.InvalidError, "dimension M is 0", self.library.prepare, [tilewise.Problem("copy", (0, 4))])
        self.refused(TypeError, "takes a list of tilewise.Problem, and ('copy', (4, 4)) is none", self.library.prepare,
                     [("copy", (4, 4))])
        for shape in ("4x4", 4, (4, 4.5)):
            self.refused(TypeError, "they must be whole numbers", self.library.prepare, [tilewise.Problem("copy", shape)])
        self.refused(TypeError, "the shape is 4 and", self.library.plan, "copy", 4)
        self.refused(tilewise.InvalidError, "must be less than 2**63", self.library.plan, "copy", (2**70, 4))
        self.refused(tilewise.InvalidError, "copy takes 2 sizes, MxN, of 1 or more; 1 was given, 4", self.library.plan, "copy", (4,))
        names = [(a.name, a.kind) for a in tilewise.arguments(tilewise.Problem("softmax", (9, 21)), self.library)]
        self.assertEqual(names, [("A", "buffer"), ("B", "buffer"), ("lda", "stride"), ("ldb", "stride")])


class Opening(Arrays):
    def test_wrong_options(self):
        self.refused(tilewise.NotFoundError, "opencl:99", tilewise.Library, "opencl:99")
        self.refused(tilewise.InvalidError, "on_miss is 'never'", tilewise.Library, DEVICE, on_miss="never")
        for one in ("no.json", pathlib.Path("no.json"), ["no.json"]):
            self.refused(tilewise.Error, "no.json", tilewise.Library, DEVICE, descriptions=one)
        self.refused(tilewise.InvalidError, "has a null character", tilewise.Library, DEVICE, databases="a.db\0b")
        tilewise.Library(DEVICE, databases="missing.db").close()
        with tilewise.Library(DEVICE, databases=[], on_miss="fail") as library:
            error = self.refused(tilewise.NotFoundError, "no database has a result", library.plan, "copy", (4, 4))
            self.assertIsInstance(error, LookupError)

    def test_prepared_only(self):
        with tilewise.Library(DEVICE, databases=[], prepared_only=True) as library:
            a, b = array(numbers(20, 30)), array(numbers(30, 40))
            self.refused(tilewise.NotFoundError, "give it to tw_prepare", tilewise.gemm, a, b, library=library)
            library.prepare([tilewise.Problem("gemm", (20, 40, 30))])
            self.close(tilewise.gemm(a, b, library=library), host(a) @ host(b))

    def test_a_library_that_is_not_there(self):
        done = subprocess.run([sys.executable, "-c", "import tilewise"], capture_output=True, text=True,
                              env=dict(pythons.environment(tempfile.gettempdir()), TILEWISE_LIBRARY="/nowhere.so"))
        self.assertEqual(done.returncode, 1)
        last = done.stderr.splitlines()[-1]
        self.assertIn("ImportError: tilewise: /nowhere.so cannot be loaded", last)
        self.assertIn("TILEWISE_LIBRARY", last)


class Tuning(Arrays):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-tuned-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)

    def test_tuned_from_python(self):
        lines = []
        a = array(numbers(16, 8))
        tilewise.copy(a)
        table = tilewise.tune("copy", [(16, 8), "8x8"], device=DEVICE, budget=1, progress=lines.append, dtype="f32")
        self.assertEqual([(row["M"], row["N"]) for row in table], [(16, 8), (8, 8)])
        self.assertTrue(all(row["time_us"] > 0 and row["dtype"] == "f32" for row in table))
        self.assertTrue(any(re.search(r"trials? in", line) for line in lines), lines)
        # A list goes on where it was, and a shape is searched on.
        again = tilewise.tune("copy", [(16, 8), "8x8"], device=DEVICE, budget=1, progress=lines.append, dtype="f32")
        self.assertIn("2 problems were done before", lines[-1])
        self.assertEqual([(row["M"], row["N"], row["time_us"]) for row in again],
                         [(row["M"], row["N"], row["time_us"]) for row in table])
        tilewise.tune("copy", (16, 8), device=DEVICE, budget=1, progress=lines.append, dtype="f32")
        self.assertNotIn("done before", lines[-1])
        # Calls see it from then on, and so do the functions that ask for what is stored.
        library = tilewise.default_library("cuda:0" if ON_CUDA else "host")
        self.assertEqual(library.explain("copy", (16, 8)).rule, "exact")
        self.assertTrue((host(tilewise.copy(a)) == host(a)).all())
        stored = tilewise.results("copy")
        self.assertIn("M=16,N=8;dtype=f32", [row["problem"] for row in stored])
        self.assertGreaterEqual(len(tilewise.trials()), 1)
        self.assertIn("<th>time_us</th>", table._repr_html_())
        self.assertIn("backend", tilewise.devices()[0])
        try:
            import pandas
        except ImportError:
            return
        self.assertEqual(list(pandas.DataFrame(table)["N"]), [8, 8])

    def test_what_the_program_says(self):
        self.refused(tilewise.InvalidError, "gemm wants 3 sizes", tilewise.tune, "gemm", (16, 16), progress=False)
        self.refused(TypeError, "its name comes first, as in", tilewise.tune, (16, 16, 16))
        for shape in ((), [], 5, (4, 4.5, 4), [(4, 4, 4), 5]):
            self.refused(TypeError, "it must be of whole numbers", tilewise.tune, "gemm", shape)
        self.refused(tilewise.InvalidError, "gemn", tilewise.tune, "gemn", (16, 16, 16), progress=False)
        empty = self.home / "none.db"
        self.refused(tilewise.Error, "none.db", tilewise.results, db=empty)


class Recorded(Arrays):
    """Arrays that say by the CUDA array interface that they are on a GPU, and a library that keeps what it is given."""

    @classmethod
    def setUpClass(cls):
        if shutil.which("cc") is None:
            raise unittest.SkipTest("needs cc")
        cls.home = tempfile.mkdtemp(prefix="tilewise-recorder-")
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.library = f"{cls.home}/librecorder.so"
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{pythons.ROOT}",
                        HERE / "python/recorder.c", "-o", cls.library], check=True)

    def test_what_the_library_is_given(self):
        done = subprocess.run([sys.executable, "-B", HERE / "python/on_recorder.py"], capture_output=True, text=True,
                              env=dict(pythons.environment(self.home), TILEWISE_LIBRARY=self.library))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
