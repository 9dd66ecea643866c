"""Train a small convolutional network on handwritten digits and keep it for the Clojure and C examples.

Writes ``digits-symbol.json``, ``digits-0000.params``, a drawing of the network ``digits.svg`` and the probabilities of
the test images ``python.csv`` into the folder given by ``--out``.
"""

import argparse
import sys
import time
from pathlib import Path

import mxnet as mx
import numpy as np

DATA = Path(__file__).resolve().parent.parent / "data" / "digits.csv"
BATCH = 64


def load_digits():
    """Return the training and the test images, of shape (n, 1, 8, 8) and values 0 to 1, with their labels."""
    table = np.loadtxt(DATA, delimiter=",", dtype=np.float32)
    images, labels = table[:, :64].reshape(-1, 1, 8, 8) / 16, table[:, 64]
    test = np.arange(len(table)) % 5 == 4
    return images[~test], labels[~test], images[test], labels[test]


def lenet():
    """Return LeNet's plan at the size of these images: two convolutions, two dense layers, softmax."""
    x = mx.sym.Variable("data")
    for i, filters in enumerate((16, 32), 1):
        x = mx.sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=filters, name=f"conv{i}")
        x = mx.sym.BatchNorm(x, fix_gamma=False, name=f"bn{i}")
        x = mx.sym.Activation(x, act_type="relu", name=f"relu{i}")
        x = mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name=f"pool{i}")
    x = mx.sym.FullyConnected(mx.sym.Flatten(x, name="flatten"), num_hidden=64, name="fc1")
    x = mx.sym.Activation(x, act_type="relu", name="relu3")
    x = mx.sym.FullyConnected(x, num_hidden=10, name="fc2")
    return mx.sym.SoftmaxOutput(x, name="softmax")


def progress(done, total, text, start):
    """Draw a progress bar on the terminal, or one line a tenth where there is none."""
    filled = 30 * done // total
    line = f"[{'#' * filled}{'.' * (30 - filled)}] {done}/{total} {text} {time.time() - start:.1f} s"
    if sys.stderr.isatty():
        print("\r" + line, end="\n" if done == total else "", file=sys.stderr, flush=True)
    elif done * 5 // total > (done - 1) * 5 // total:
        print(line, file=sys.stderr, flush=True)


def make_updater(executor, inputs, optimizer, rescale):
    """Return a function that takes one step of Adam, or of gradient descent with momentum, on every weight."""
    weights = {name: array for name, array in executor.arg_dict.items() if name not in inputs}
    first = {name: mx.nd.zeros(array.shape) for name, array in weights.items()}
    second = {name: mx.nd.zeros(array.shape) for name, array in weights.items()}

    def update(step, lr):
        for name, weight in weights.items():
            gradient = executor.grad_dict[name]
            if optimizer == "adam":
                corrected = lr * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
                mx.nd.adam_update(weight, gradient, first[name], second[name], out=weight, lr=corrected,
                                  rescale_grad=rescale, wd=1e-4)
            else:
                mx.nd.sgd_mom_update(weight, gradient, first[name], out=weight, lr=lr, momentum=0.9,
                                     rescale_grad=rescale, wd=1e-4)

    return update


def train(symbol, images, labels, epochs, optimizer):
    """Return the executor of the trained symbol."""
    executor = symbol.simple_bind(mx.cpu(), data=(BATCH, 1, 8, 8), softmax_label=(BATCH,), grad_req="write")
    inputs = ("data", "softmax_label")
    initializer = mx.init.Xavier(magnitude=2.0)
    for name, array in executor.arg_dict.items():
        if name not in inputs:
            initializer(mx.init.InitDesc(name), array)
    for name, array in executor.aux_dict.items():
        array[:] = 1 if name.endswith("var") else 0
    update = make_updater(executor, inputs, optimizer, 1.0 / BATCH)
    shuffle = np.random.default_rng(1)
    start, step, batches = time.time(), 0, len(images) // BATCH
    for epoch in range(epochs):
        order = shuffle.permutation(len(images))
        right = 0
        for b in range(batches):
            rows = order[b * BATCH : (b + 1) * BATCH]
            executor.forward(is_train=True, data=mx.nd.array(images[rows]), softmax_label=mx.nd.array(labels[rows]))
            executor.backward()
            step += 1
            rate = 0.5 * (1 + np.cos(np.pi * step / (epochs * batches)))
            update(step, rate * (0.01 if optimizer == "adam" else 0.1))
            right += int((executor.outputs[0].asnumpy().argmax(axis=1) == labels[rows]).sum())
        progress(epoch + 1, epochs, f"epochs, training accuracy {right / (batches * BATCH):.4f},", start)
    return executor


def draw(symbol, path):
    """Write the network's drawing as SVG and return where it is."""
    graph = mx.viz.plot_network(symbol, shape={"data": (BATCH, 1, 8, 8)}, title=path.stem)
    graph.save_svg(path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("."))
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--optimizer", choices=("adam", "sgd"), default="adam")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    mx.random.seed(1)
    np.random.seed(1)
    train_images, train_labels, test_images, test_labels = load_digits()
    symbol = lenet()
    trained = train(symbol, train_images, train_labels, options.epochs, options.optimizer)

    inputs = ("data", "softmax_label")
    arguments = {name: array for name, array in trained.arg_dict.items() if name not in inputs}
    mx.model.save_checkpoint(str(options.out / "digits"), 0, symbol, arguments, trained.aux_dict)

    symbol, arguments, states = mx.model.load_checkpoint(str(options.out / "digits"), 0)
    executor = symbol.simple_bind(mx.cpu(), data=test_images.shape, grad_req="null")
    executor.copy_params_from(arguments, states)
    probabilities = executor.forward(is_train=False, data=mx.nd.array(test_images))[0].asnumpy()
    np.savetxt(options.out / "python.csv", probabilities, delimiter=",", fmt="%.9g")
    predictions = probabilities.argmax(axis=1)
    accuracy = (predictions == test_labels).mean()
    print(f"test accuracy {accuracy:.4f}")
    print("first ten predictions", *predictions[:10])
    print("saved", options.out / "digits-symbol.json", "and", options.out / "digits-0000.params")
    print("network drawn in", draw(symbol, options.out / "digits.svg"))
    return 0 if accuracy >= 0.97 else 1


if __name__ == "__main__":
    sys.exit(main())
