// NDArray list files (.params, .nd) and single-array blobs, in the formats of MXNet 1.9.1 and all before it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tensor/ndarray.h"

namespace mxnet {

struct NamedArrays {
  std::vector<NDArray> arrays;
  std::vector<std::string> names;  // empty, or one per array
};

// Reads what `bytes` hold; truncated, corrupt and hostile input is an error in bounded memory: no more is allocated than
// the input could fill. `origin` names the input in messages.
NamedArrays read_arrays(std::span<const char> bytes, const std::string& origin);
NamedArrays read_arrays_file(const std::string& path);
NDArray read_array(std::span<const char> bytes);

// `names` is empty or has one name per array. The file appears under its name when it is complete: an interrupted save
// leaves an old file whole.
void write_arrays_file(const std::string& path, const std::vector<NDArray>& arrays,
                       const std::vector<std::string>& names);
std::string write_array(const NDArray& array);

}  // namespace mxnet
