"""tilewise.torch: operators that PyTorch traces and differentiates, on the CPU through OpenCL and on a GPU."""

import unittest

import pythons

pythons.enter("torch", "numpy")
import torch  # noqa: E402

import tilewise  # noqa: E402
import tilewise.torch  # noqa: E402
from support import DEVICE  # noqa: E402

# What cuDNN is compared with is not to be rounded.
torch.backends.cudnn.allow_tf32 = False
WHERE = "cuda" if DEVICE.startswith("cuda") else "cpu"
ACTIVATIONS = {
    None: lambda z: z,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda z: torch.nn.functional.gelu(z, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


def numbers(*shape, seed=1, **options):
    generator = torch.Generator().manual_seed(seed)
    return (2 * torch.rand(shape, generator=generator, dtype=torch.float64) - 1).to(device=WHERE, **options)


class Torch(unittest.TestCase):
    def close(self, got, expected, tolerance=1e-5):
        torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)

    def test_types(self):
        for dtype, result in ((torch.float32, torch.float32), (torch.float64, torch.float64),
                              (torch.bfloat16, torch.bfloat16), (torch.float8_e4m3fn, torch.bfloat16)):
            a, b = numbers(16, 24, dtype=dtype), numbers(24, 16, seed=2, dtype=dtype)
            got = tilewise.gemm(a, b)
            self.assertEqual(got.dtype, result)
            self.close(got.double(), a.double() @ b.double(), 2e-2 if result == torch.bfloat16 else 1e-5)

    def test_parameters_and_transposes(self):
        linear = torch.nn.Linear(24, 16, device=WHERE)
        x = numbers(5, 3, 24, dtype=torch.float32)
        with torch.no_grad():
            self.close(tilewise.gemm(x, linear.weight.T, bias=linear.bias), linear(x))
        self.assertFalse(tilewise.gemm(x, linear.weight.detach().T).requires_grad)

    def test_gradients(self):
        shapes = {"a": (2, 6, 5), "b": (5, 7), "bias": (7,), "c": (2, 6, 7)}
        for activation, apply in ACTIVATIONS.items():
            given = {name: numbers(*shape, seed=i, dtype=torch.float64).requires_grad_()
                     for i, (name, shape) in enumerate(shapes.items())}
            a, b, bias, c = given.values()
            got = tilewise.gemm(a, b, bias=bias, c=c, alpha=0.5, beta=0.25, activation=activation)
            expected = apply(0.5 * (a @ b) + 0.25 * c + bias)
            self.close(got, expected, 1e-12)
            weights = numbers(2, 6, 7, seed=9, dtype=torch.float64)
            ours = torch.autograd.grad((got * weights).sum(), list(given.values()))
            theirs = torch.autograd.grad((expected * weights).sum(), list(given.values()))
            for one, other in zip(ours, theirs):
                self.close(one, other, 1e-12)
        # Of batches on both sides, with the gradient expanded from one number.
        a = numbers(3, 4, 5, dtype=torch.float64).requires_grad_()
        b = numbers(3, 5, 6, seed=2, dtype=torch.float64).requires_grad_()
        bias = numbers(4, seed=3, dtype=torch.float64).requires_grad_()
        tilewise.gemm(a, b, bias=bias, bias_along="rows").sum().backward()
        ones = torch.ones(3, 4, 6, dtype=torch.float64, device=WHERE)
        self.close(a.grad, ones @ b.detach().mT, 1e-12)
        self.close(b.grad, a.detach().mT @ ones, 1e-12)
        self.close(bias.grad, ones.sum((0, 2)), 1e-12)

    def test_gradients_of_the_others(self):
        a = numbers(4, 5, dtype=torch.float32).requires_grad_()
        weights = numbers(4, 4, seed=2, dtype=torch.float32)
        (tilewise.aat(a) * weights).sum().backward()
        self.close(a.grad, (weights + weights.T) @ a.detach())
        a.grad = None
        (tilewise.aat(a, compute="f32_split") * weights).sum().backward()
        self.close(a.grad, (weights + weights.T) @ a.detach())
        (g,) = torch.autograd.grad((tilewise.transpose(a) * numbers(5, 4, seed=3, dtype=torch.float32)).sum(), [a])
        self.close(g, numbers(5, 4, seed=3, dtype=torch.float32).T)

    def test_gradients_of_convolutions(self):
        x = numbers(2, 4, 6, 5, dtype=torch.float32).requires_grad_()
        w = numbers(4, 2, 3, 3, seed=2, dtype=torch.float32).requires_grad_()
        bias = numbers(4, seed=3, dtype=torch.float32).requires_grad_()
        got = tilewise.conv2d(x, w, bias, 2, 1, 1, 2, alpha=0.5, activation="silu")
        expected = torch.nn.functional.silu(torch.nn.functional.conv2d(x, 0.5 * w, bias, 2, 1, 1, 2))
        self.close(got, expected)
        weights = numbers(*got.shape, seed=9, dtype=torch.float32)
        ours, theirs = (torch.autograd.grad((y * weights).sum(), [x, w, bias]) for y in (got, expected))
        for one, other in zip(ours, theirs):
            self.close(one, other)

        # With the channels of a pixel together, of what was expanded, and gradients of gradients.
        x, w = (numbers(*shape, dtype=torch.float64).contiguous(memory_format=torch.channels_last).requires_grad_()
                for shape in ((2, 3, 5, 6), (4, 3, 2, 3)))
        of = torch.nn.functional.conv2d
        ours, theirs = (torch.autograd.grad(y.sum(), [x, w]) for y in (
            tilewise.conv2d(x, w, None, (2, 1), (1, 0)), of(x, w, None, (2, 1), (1, 0))))
        for one, other in zip(ours, theirs):
            self.close(one, other, 1e-12)
        twice = []
        for call in (tilewise.conv2d, of):
            first = torch.autograd.grad(call(x, w, None, (2, 1), (1, 0)).square().sum(), [x, w], create_graph=True)
            twice.append(torch.autograd.grad(sum(g.square().sum() for g in first), [x, w]))
        for one, other in zip(*twice):
            self.close(one, other, 1e-10)
        nothing = numbers(0, 3, 5, 6, dtype=torch.float64)
        (g,) = torch.autograd.grad(tilewise.conv2d(nothing, w).sum(), [w])
        self.close(g, torch.zeros_like(w))

    def test_gradients_of_groups(self):
        a, b = numbers(7, 6, dtype=torch.float32).requires_grad_(), numbers(3, 6, 5, seed=2, dtype=torch.float32)
        b.requires_grad_()
        bias = numbers(3, 5, seed=3, dtype=torch.float32).requires_grad_()
        ends = torch.tensor([2, 2, 7], dtype=torch.int32, device=WHERE)
        got = tilewise.gemm_grouped(a, b, ends, bias=bias, alpha=0.5, activation="relu")
        expected = torch.relu(torch.cat([0.5 * (a[:2] @ b[0]) + bias[0], 0.5 * (a[2:] @ b[2]) + bias[2]]))
        self.close(got, expected)
        ours, theirs = (torch.autograd.grad(y.sum(), [a, b, bias]) for y in (got, expected))
        for one, other in zip(ours, theirs):
            self.close(one, other)

    def test_operators_are_sound(self):
        a, b = numbers(6, 5, dtype=torch.float32), numbers(5, 7, seed=2, dtype=torch.float32)
        a.requires_grad_()
        operators = torch.ops.tilewise
        torch.library.opcheck(operators.gemm.default, (a, b, None, None, 1.0, 0.0, "columns", "none", None, None))
        torch.library.opcheck(operators.gemm_out.default, (a.detach(), b, numbers(6, 7, dtype=torch.float32), None,
                                                           None, 1.0, 0.5, "columns", "relu", None))
        for operator in (operators.transpose, operators.copy, operators.aat):
            torch.library.opcheck(operator.default, (a,))
        # With PyTorch's channels_last, which results keep; dynamic shapes would compile kernels for each.
        x, w = (numbers(*shape, dtype=torch.float32).contiguous(memory_format=torch.channels_last)
                for shape in ((1, 4, 6, 5), (4, 4, 3, 3)))
        quick = ("test_schema", "test_autograd_registration", "test_faketensor")
        sizes = ([1, 1], [1, 1], [1, 1], 1, 1.0)
        torch.library.opcheck(operators.conv2d.default, (x, w, None, *sizes, "none", None), test_utils=quick)
        torch.library.opcheck(operators.conv2d_out.default, (x, w, torch.empty_like(x), None, *sizes, 0.0, "none", None),
                              test_utils=quick)
        y = numbers(1, 4, 6, 5, seed=3, dtype=torch.float32)
        for gradient, other, like in ((operators.conv2d_backward_data, w, x), (operators.conv2d_backward_weights, x, w)):
            torch.library.opcheck(gradient.default, (y, other, list(like.shape), "nhwc", *sizes, None),
                                  test_utils=quick)
        ends = torch.tensor([2, 6], dtype=torch.int32, device=WHERE)
        experts = numbers(2, 5, 7, seed=2, dtype=torch.float32)
        torch.library.opcheck(operators.gemm_grouped.default, (a, experts, ends, None, 1.0, "none", None),
                              test_utils=quick)
        torch.library.opcheck(operators.gemm_grouped_out.default,
                              (a.detach(), experts, ends, numbers(6, 7, dtype=torch.float32), None, 1.0, 0.0, "none"),
                              test_utils=quick)
        torch.library.opcheck(operators.move_out.default, ("copy", a.detach(), numbers(6, 5, dtype=torch.float32)))

    def test_compiled(self):
        def layer(x, weight, bias):
            return tilewise.gemm(x, weight.T, bias=bias, activation="silu") * 2 + tilewise.gemm(x, weight.T)

        x = numbers(8, 6, dtype=torch.float32)
        weight = torch.nn.Parameter(numbers(5, 6, seed=2, dtype=torch.float32))
        bias = numbers(5, seed=3, dtype=torch.float32)
        compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
        for rows in (8, 11, 13):
            x = numbers(rows, 6, dtype=torch.float32)
            got, expected = compiled(x, weight, bias), layer(x, weight, bias)
            self.close(got, expected)
            (ours,), (theirs,) = (torch.autograd.grad(y.sum(), [weight]) for y in (got, expected))
            self.close(ours, theirs)

        @torch.compile(fullgraph=True, backend="aot_eager")
        def into(x, w, out):
            tilewise.gemm(x, w, out=out)
            return tilewise.transpose(out) + 1

        @torch.compile(fullgraph=True, backend="aot_eager")
        def experts(x, images, w, ends):
            y = tilewise.gemm_grouped(x, w.reshape(2, 6, 3), ends)
            return y.sum() + tilewise.conv2d(images, w.reshape(3, 3, 2, 2), padding=(0, 1)).sum()

        w, ends = numbers(36, seed=4, dtype=torch.float32), torch.tensor([5, 13], dtype=torch.int32, device=WHERE)
        images = numbers(1, 3, 4, 4, dtype=torch.float32)
        with torch.no_grad():
            expected = torch.cat([x[:5] @ w[:18].reshape(6, 3), x[5:] @ w[18:].reshape(6, 3)]).sum()
            expected += torch.nn.functional.conv2d(images, w.reshape(3, 3, 2, 2), padding=(0, 1)).sum()
            self.close(experts(x, images, w, ends), expected, 1e-4)

        @torch.compile(fullgraph=True, backend="aot_eager")
        def convolved(images, filters):
            return tilewise.conv2d(images, filters, padding=(0, 1)).square().sum()

        filters = numbers(3, 3, 2, 2, seed=4, dtype=torch.float32).requires_grad_()
        (ours,) = torch.autograd.grad(convolved(images, filters), [filters])
        expected = torch.nn.functional.conv2d(images, filters, padding=(0, 1)).square().sum()
        self.close(ours, torch.autograd.grad(expected, [filters])[0], 1e-4)

        with torch.no_grad():
            out = torch.zeros(13, 5, device=WHERE)
            self.close(into(x, weight.T, out), (x @ weight.T).T + 1)
            self.close(out, x @ weight.T)

    def test_compiled_by_itself(self):
        """A call that is known is traced all the same."""
        a, b = numbers(8, 6, dtype=torch.float32), numbers(6, 5, seed=2, dtype=torch.float32)
        for _ in range(2):
            tilewise.gemm(a, b)
        graphs = []
        compiled = torch.compile(tilewise.gemm, fullgraph=True,
                                 backend=lambda graph, _: graphs.append(graph) or graph.forward)  # fmt: skip
        for _ in range(2):
            self.close(compiled(a, b), a @ b)
        self.assertEqual(len(graphs), 1)
        self.assertIn("tilewise.gemm", graphs[0].code)

    def test_shapes_without_data(self):
        a = torch.empty(6, 5, device="meta", dtype=torch.float8_e5m2)
        got = tilewise.torch.gemm(a, torch.empty(5, 7, device="meta", dtype=torch.float8_e5m2))
        self.assertEqual((tuple(got.shape), got.dtype), ((6, 7), torch.bfloat16))
        with self.assertRaisesRegex(ValueError, "a has 5 columns, and b 6 rows"):
            tilewise.torch.gemm(a, a)

    def test_what_is_refused(self):
        a, b = numbers(6, 5, dtype=torch.float32).requires_grad_(), numbers(5, 7, dtype=torch.float32)
        wrong = [
            (ValueError, "with out= there are no gradients", {"out": numbers(6, 7, dtype=torch.float32)}),
            (ValueError, "the current stream and the default library are used", {"stream": 1}),
        ]
        for kind, says, options in wrong:
            with self.assertRaises(kind) as caught:
                tilewise.gemm(a, b, **options)
            self.assertIn(says, str(caught.exception))
        with self.assertRaisesRegex(TypeError, "resolve it first"):
            tilewise.gemm(torch.view_as_complex(numbers(5, 4, 2, dtype=torch.float32)).mH.imag, b)
        # One that is like a plain tensor, which was met before.
        column = torch.view_as_complex(numbers(5, 1, 2, dtype=torch.float32))
        tilewise.gemm(a.detach(), column.imag)
        with self.assertRaisesRegex(TypeError, "resolve it first"):
            tilewise.gemm(a.detach(), column.conj().imag)
        with self.assertRaisesRegex(TypeError, "kernels take strided tensors"):
            tilewise.gemm(b.T.to_sparse(), b)
        with self.assertRaisesRegex(TypeError, "a is on meta"):
            tilewise.gemm(b.T.to("meta"), b)

    @unittest.skipUnless(WHERE == "cuda", "of CUDA")
    def test_in_a_graph(self):
        a, b = numbers(64, 32, dtype=torch.float32), numbers(32, 48, seed=2, dtype=torch.float32)
        out = torch.empty(64, 48, device=WHERE)
        tilewise.gemm(a, b, out=out)
        tilewise.gemm(a, b)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            tilewise.gemm(a, b, out=out)
            made = tilewise.gemm(a, b)
        a.copy_(numbers(64, 32, seed=3, dtype=torch.float32))
        graph.replay()
        torch.cuda.synchronize()
        self.close(out, a @ b)
        self.close(made, a @ b)

    @unittest.skipUnless(WHERE == "cuda", "of CUDA")
    def test_new_results(self):
        """They are of PyTorch's allocator, wherever they are made."""
        a, b = numbers(1024, 64, dtype=torch.float32), numbers(64, 1024, seed=2, dtype=torch.float32)
        for _ in range(3):
            tilewise.gemm(a, b)
        before = torch.cuda.memory_allocated()
        made = tilewise.gemm(a, b)
        self.assertEqual(torch.cuda.memory_allocated() - before, 4 * 1024 * 1024)
        self.assertEqual((type(made), made.device, made.requires_grad), (torch.Tensor, a.device, False))
        made.record_stream(torch.cuda.Stream())
        self.close(made, a @ b, 1e-4)
        del made
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        self.addCleanup(torch.cuda.set_per_process_memory_fraction, 1.0)
        torch.cuda.set_per_process_memory_fraction(1e-6)
        with self.assertRaises(torch.OutOfMemoryError):
            tilewise.gemm(a, b)

    @unittest.skipUnless(WHERE == "cuda", "of CUDA")
    def test_on_a_stream(self):
        a, b = numbers(256, 256, dtype=torch.float32), numbers(256, 256, seed=2, dtype=torch.float32)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            # What is before it on this stream has to be waited for.
            torch.cuda._sleep(10_000_000)
            a.mul_(2)
            out = tilewise.gemm(a, b)
        stream.synchronize()
        self.close(out, a @ b, 1e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
