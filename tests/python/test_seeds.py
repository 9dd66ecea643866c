"""Every code block of the Python API document runs as written and prints what the document shows.

The blocks share one namespace, as a reader's session does. ``*`` in an expected line stands for random values. Where the
document leaves the evaluation of a symbol as a comment, that part is run too.
"""

import contextlib
import fnmatch
import io

import pytest

ADD = r'''
import mxnet as mx

# Create symbolic variables (placeholders for data)
x = mx.sym.Variable('x')
y = mx.sym.Variable('y')

# Construct a new symbol 'z' by applying the '+' operator to 'x' and 'y'
z = x + y

print(f"Symbol x: {x}")
print(f"Symbol y: {y}")
print(f"Symbol z (x+y): {z}")
'''

POWER = r'''
import mxnet as mx
import numpy as np

# Scalar power (evaluated at definition time by Python, not a symbol operation)
# print(mx.sym.power(3, 5)) # This would cause an error as mx.sym.power expects symbols or for a symbol to be the base/exp

# Power with symbolic variables
x_sym = mx.sym.Variable('x_data')
y_sym = mx.sym.Variable('y_data')

# Symbol for x^3
z_pow_x_cubed = mx.sym.power(x_sym, 3)
# Symbol for 4^y
z_pow_4_y = mx.sym.power(4, y_sym) # Scalar base, symbolic exponent
# Symbol for x^y
z_pow_x_y = mx.sym.power(x_sym, y_sym)

print(f"Symbol for x^3: {z_pow_x_cubed}")
print(f"Symbol for 4^y: {z_pow_4_y}")
print(f"Symbol for x^y: {z_pow_x_y}")

# To execute, bind data and use an executor (or use within Gluon HybridBlock)
# Example of evaluation (older style, for illustration of binding)
x_nd = mx.nd.array([1, 2, 3], ctx=mx.cpu())
executor_x_cubed = z_pow_x_cubed.simple_bind(ctx=mx.cpu(), x_data=x_nd.shape)
output_x_cubed = executor_x_cubed.forward(x_data=x_nd)[0]
print(f"Result of x^3 for x={x_nd.asnumpy()}: {output_x_cubed.asnumpy()}")
'''

SOFTMAX = r'''
data_sym = mx.sym.Variable('input_data')
softmax_output_sym = mx.sym.softmax(data_sym, axis=1) # Softmax across columns for each row
print(f"Softmax symbol: {softmax_output_sym}")

# Example evaluation
input_nd = mx.nd.array([[2., 0.9, -0.5, 4., 8.],
                       [4., -.7, 9., 2., 0.9]], ctx=mx.cpu())

# Using simple_bind for evaluation (illustrative)
# In practice, Gluon handles execution within its framework.
executor_softmax = softmax_output_sym.simple_bind(ctx=mx.cpu(), input_data=input_nd.shape)
output_softmax = executor_softmax.forward(input_data=input_nd)[0]
print(f"Softmax output:\n{output_softmax.asnumpy()}")
'''

ZIPFIAN = r'''
from mxnet.symbol import contrib as contrib_sym

true_cls_sym = mx.sym.Variable('true_cls_data')
num_sampled = 5
range_max = 10

zipfian_group = contrib_sym.rand_zipfian(true_cls_sym, num_sampled, range_max)
# rand_zipfian returns a group of symbols: samples, expected_count_true, expected_count_sample
samples_sym = zipfian_group[0]

print(f"Symbol for Zipfian samples: {samples_sym}")

# Example evaluation
true_cls_nd = mx.nd.array([3, 1], ctx=mx.cpu())
# For group symbols, bind each element or use a wrapper that handles groups.
# Here, we'll just show binding for the 'samples' part for simplicity.
# Note: Proper binding of grouped symbols can be more complex.
executor_zipfian = samples_sym.simple_bind(ctx=mx.cpu(), true_cls_data=true_cls_nd.shape)
output_zipfian = executor_zipfian.forward(true_cls_data=true_cls_nd)[0]
print(f"Evaluated Zipfian samples (will vary):\n{output_zipfian.asnumpy()}")
'''

IMAGE = r'''
img_h, img_w, img_c = 224, 224, 3

# Symbolic placeholder for an image batch (N H W C format for many image ops)
image_data_sym = mx.sym.Variable('image_batch_data', shape=(None, img_h, img_w, img_c))

# Symbolic to_tensor (HWC -> CHW, scale 0-255 to 0-1)
# Note: to_tensor in symbol API might expect NCHW or NHWC depending on specific version/op.
# For this example, let's assume it handles NHWC -> NCHW and scales.
tensor_sym = mx.sym.image.to_tensor(image_data_sym)

# Symbolic normalize
mean_rgb = (0.485*255, 0.456*255, 0.406*255) # Means for 0-255 range data
std_rgb = (0.229*255, 0.224*255, 0.225*255)   # Stds for 0-255 range data
# After to_tensor, data is 0-1, so means/stds should be for 0-1 range.
normalized_sym = mx.sym.image.normalize(tensor_sym,
                                        mean=(0.485, 0.456, 0.406),
                                        std=(0.229, 0.224, 0.225))

print(f"Symbol for normalized image data: {normalized_sym}")

# This `normalized_sym` could then be fed into a symbolic CNN definition.
# For evaluation, one would bind it with actual image data.
# dummy_image_batch_nd = mx.nd.random.uniform(0, 255, (1, img_h, img_w, img_c), ctx=mx.cpu())
# exec_norm = normalized_sym.simple_bind(ctx=mx.cpu(), image_batch_data=dummy_image_batch_nd.shape)
# output_norm = exec_norm.forward(image_batch_data=dummy_image_batch_nd)[0]
# print(f"Shape of normalized output: {output_norm.shape}")
'''

RANDOM = r'''
# Symbolic random uniform generation
rand_unif_sym = mx.sym.random.uniform(low=-1, high=1, shape=(2, 3))
print(f"Symbol for uniform randoms: {rand_unif_sym}")

# Symbolic shuffle of a variable
data_to_shuffle = mx.sym.Variable('shuffle_input')
shuffled_data_sym = mx.sym.random.shuffle(data_to_shuffle)
print(f"Symbol for shuffled data: {shuffled_data_sym}")

# Evaluation example for shuffle
input_nd_for_shuffle = mx.nd.array([[1,2,3],[4,5,6],[7,8,9]], ctx=mx.cpu())
exec_shuffle = shuffled_data_sym.simple_bind(ctx=mx.cpu(), shuffle_input=input_nd_for_shuffle.shape)
output_shuffled = exec_shuffle.forward(shuffle_input=input_nd_for_shuffle)[0]
print(f"Original data:\n{input_nd_for_shuffle.asnumpy()}")
print(f"Shuffled data (will vary):\n{output_shuffled.asnumpy()}")
'''

EMBEDDING = r'''
input_dim = 10000  # Vocabulary size
output_dim = 100   # Embedding dimension
batch_size = 4
sequence_length = 10

# Symbolic input data (e.g., integer word indices)
# Shape: (batch_size, sequence_length) or other appropriate shape
input_indices_sym = mx.sym.Variable('input_indices', shape=(batch_size, sequence_length))

# Symbolic embedding weight matrix
embedding_weight_sym = mx.sym.Variable('embedding_weight', shape=(input_dim, output_dim))

# Create the Embedding symbol
embedded_features_sym = mx.sym.Embedding(data=input_indices_sym,
                                         weight=embedding_weight_sym,
                                         input_dim=input_dim,
                                         output_dim=output_dim,
                                         sparse_grad=False) # Set True for sparse updates if input_dim is very large

print(f"Symbol for embedded features: {embedded_features_sym}")

# To use this, you would bind it with actual NDArray data for indices and weights.
# e.g., input_indices_nd = mx.nd.random.randint(0, input_dim, (batch_size, sequence_length), ctx=mx.cpu())
# embedding_weight_nd = mx.nd.random.uniform(-0.01, 0.01, (input_dim, output_dim), ctx=mx.cpu())

# executor = embedded_features_sym.simple_bind(ctx=mx.cpu(), \
#                                            input_indices=input_indices_nd.shape, \
#                                            embedding_weight=embedding_weight_nd.shape)
# output_embedded = executor.forward(is_train=False, \
#                                  input_indices=input_indices_nd, \
#                                  embedding_weight=embedding_weight_nd)[0]
# print(f"Shape of embedded output: {output_embedded.shape}") # Expected: (batch_size, sequence_length, output_dim)
'''

SHOWN = {
    "ADD": """\
Symbol x: <Symbol x>
Symbol y: <Symbol y>
Symbol z (x+y): <Symbol _plus0>
""",
    "POWER": """\
Symbol for x^3: <Symbol _power_scalar0>
Symbol for 4^y: <Symbol _rpower_scalar0>
Symbol for x^y: <Symbol _power0>
Result of x^3 for x=[[]1. 2. 3.]: [[] 1.  8. 27.]
""",
    "SOFTMAX": """\
Softmax symbol: <Symbol softmax0>
Softmax output:
[[][[]2.4258138e-03 8.0748333e-04 1.9912292e-04 1.7924475e-02 9.7864312e-01]
 [[]6.6843745e-03 6.0796250e-05 9.9204916e-01 9.0463174e-04 3.0112563e-04]]
""",
    "ZIPFIAN": """\
Symbol for Zipfian samples: <Symbol rand_zipfian0_output0>
Evaluated Zipfian samples (will vary):
[[]*]
""",
    "IMAGE": """\
Symbol for normalized image data: <Symbol normalize0>
""",
    "RANDOM": """\
Symbol for uniform randoms: <Symbol random_uniform0>
Symbol for shuffled data: <Symbol random_shuffle0>
Original data:
[[][[]1. 2. 3.]
 [[]4. 5. 6.]
 [[]7. 8. 9.]]
Shuffled data (will vary):
[[][[]* * *]
 [[]* * *]
 [[]* * *]]
""",
    "EMBEDDING": """\
Symbol for embedded features: <Symbol embedding0>
""",
}
BLOCKS = {"ADD": ADD, "POWER": POWER, "SOFTMAX": SOFTMAX, "ZIPFIAN": ZIPFIAN, "IMAGE": IMAGE, "RANDOM": RANDOM,
          "EMBEDDING": EMBEDDING}


def run(code, namespace):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "document", "exec"), namespace)
    return printed.getvalue()


@pytest.fixture
def session():
    """A namespace in which the blocks before the wanted one have run."""
    namespace = {}

    def upto(name):
        for earlier, code in BLOCKS.items():
            printed = run(code, namespace)
            if earlier == name:
                return namespace, printed
        raise KeyError(name)
    return upto


def uncommented(code, first):
    """The comment lines from the one that starts with ``first`` on, as code."""
    lines = code.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(first))
    return "\n".join(line.removeprefix("# ").removeprefix("e.g., ") for line in lines[start:]) + "\n"


@pytest.mark.parametrize("name", BLOCKS)
def test_block_prints_what_is_shown(session, name):
    printed = session(name)[1]
    assert fnmatch.fnmatchcase(printed, SHOWN[name]), printed


def test_values_of_random_blocks(session):
    namespace, _ = session("RANDOM")
    samples = namespace["output_zipfian"].asnumpy()
    assert samples.min() >= 0 and samples.max() < 10 and samples.shape == (5,)
    rows = sorted(namespace["output_shuffled"].asnumpy().tolist())
    assert rows == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_evaluation_of_the_image_block(session):
    namespace, _ = session("IMAGE")
    printed = run(uncommented(IMAGE, "# dummy_image_batch_nd"), namespace)
    assert printed == "Shape of normalized output: (1, 3, 224, 224)\n"


def test_evaluation_of_the_embedding_block(session):
    namespace, _ = session("EMBEDDING")
    printed = run(uncommented(EMBEDDING, "# e.g., input_indices_nd"), namespace)
    assert printed == "Shape of embedded output: (4, 10, 100)\n"
    got = namespace["output_embedded"].asnumpy()
    weight, index = namespace["embedding_weight_nd"].asnumpy(), namespace["input_indices_nd"].asnumpy()
    assert (got == weight[index]).all()


def test_uniform_symbol_evaluates(session):
    namespace, _ = session("RANDOM")
    values = namespace["rand_unif_sym"].eval()[0].asnumpy()
    assert values.shape == (2, 3) and values.min() >= -1 and values.max() < 1
