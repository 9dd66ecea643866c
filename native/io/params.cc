#include "io/params.h"

#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "io/file.h"
#include "tensor/shape_mode.h"

namespace mxnet {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

constexpr uint64_t kListMagic = 0x112;
constexpr uint32_t kVersion1 = 0xF993fac8;
constexpr uint32_t kVersion2 = 0xF993fac9;
constexpr uint32_t kVersion3 = 0xF993faca;

// Bytes in order, from memory or from a file, with a count of those that are left: nothing is allocated for contents
// that cannot be there.
class Source {
 public:
  Source(uint64_t size, std::string origin) : left_(size), origin_(std::move(origin)) {}
  virtual ~Source() = default;
  uint64_t left() const { return left_; }
  const std::string& origin() const { return origin_; }

  void read(void* target, uint64_t size) {
    need(size);
    left_ -= size;
    if (size != 0) take(target, size);
  }
  template <class T> T number() {
    T value;
    read(&value, sizeof value);
    return value;
  }
  void need(uint64_t size) const {
    if (size > left_) {
      fail("Invalid NDArray file format: ", origin_, " is truncated: ", size, " bytes are missing where ", left_,
           " are left");
    }
  }
  [[noreturn]] void fail_format(const std::string& what) const {
    fail("Invalid NDArray file format: ", origin_, ": ", what);
  }

 private:
  virtual void take(void* target, uint64_t size) = 0;
  uint64_t left_;
  std::string origin_;
};

class MemorySource final : public Source {
 public:
  MemorySource(std::span<const char> bytes, std::string origin)
      : Source(bytes.size(), std::move(origin)), next_(bytes.data()) {}

 private:
  void take(void* target, uint64_t size) override {
    std::memcpy(target, next_, size);
    next_ += size;
  }
  const char* next_;
};

class FileSource final : public Source {
 public:
  FileSource(std::FILE* file, uint64_t size, std::string origin) : Source(size, std::move(origin)), file_(file) {}
  ~FileSource() override { std::fclose(file_); }

 private:
  void take(void* target, uint64_t size) override {
    if (std::fread(target, 1, size, file_) != size) fail("Read ", origin(), ": the file became shorter meanwhile");
  }
  std::FILE* file_;
};

template <class Dim>
Shape read_dims(Source& source, int64_t ndim) {
  if (ndim > Shape::kMaxDim || ndim < 0) {
    source.fail_format(text("an array claims ", ndim, " dimensions, at most ", Shape::kMaxDim, " are possible"));
  }
  Shape shape = Shape::filled(static_cast<int>(ndim), 0);
  for (int i = 0; i < shape.ndim(); ++i) shape[i] = static_cast<int64_t>(source.number<Dim>());
  return shape;
}

NDArray read_dense(Source& source, const Shape& shape) {
  for (const int64_t dim : shape) {
    if (dim < 0) source.fail_format(text("an array has the dimension ", dim));
  }
  source.number<int32_t>();  // device type and number: arrays are loaded on the CPU whatever wrote them
  source.number<int32_t>();
  const DType dtype = dtype_from_code(source.number<int32_t>());
  const int64_t size = shape.size();
  const auto bytes = static_cast<uint64_t>(checked_mul(size, static_cast<int64_t>(dtype_size(dtype)), "array size"));
  source.need(bytes);
  NDArray array(shape, dtype);
  source.read(array.data(), bytes);
  return array;
}

// Versions 2 and 3: storage type, shape, device, type, contents.
NDArray read_typed_record(Source& source, bool numpy_record) {
  const auto storage_type = source.number<int32_t>();
  if (storage_type != 0) {
    if (!numpy_record && (storage_type == 1 || storage_type == 2)) {
      fail_as(ErrorKind::kNotImplementedError, source.origin(), " holds a ", storage_type == 1 ? "row_sparse" : "csr",
              " array; only dense arrays can be read");
    }
    source.fail_format(text("unknown storage type ", storage_type));
  }
  const auto ndim = source.number<int32_t>();
  if (numpy_record && ndim == -1) return NDArray();
  const Shape shape = read_dims<int64_t>(source, ndim);
  if (!numpy_record && shape.ndim() == 0) return NDArray();
  if (numpy_record && !shape.known()) return NDArray();
  return read_dense(source, shape);
}

NDArray read_record(Source& source) {
  const auto magic = source.number<uint32_t>();
  if (magic == kVersion2 || magic == kVersion3) return read_typed_record(source, magic == kVersion3);
  // The oldest files begin with the number of dimensions itself.
  const Shape shape = magic == kVersion1 ? read_dims<int64_t>(source, source.number<int32_t>())
                                         : read_dims<uint32_t>(source, magic);
  return read_dense(source, shape);
}

NamedArrays read_list(Source& source) {
  if (source.left() < 24 || source.number<uint64_t>() != kListMagic) {
    source.fail_format("it does not begin with the number 0x112 of an array list");
  }
  source.number<uint64_t>();
  const auto count = source.number<uint64_t>();
  source.need(count > source.left() ? count : count * 4);  // the smallest record has more than 4 bytes
  NamedArrays list;
  for (uint64_t i = 0; i < count; ++i) list.arrays.push_back(read_record(source));
  const auto names = source.number<uint64_t>();
  if (names != 0 && names != count) {
    source.fail_format(text("it has ", names, " names for ", count, " arrays"));
  }
  for (uint64_t i = 0; i < names; ++i) {
    const auto length = source.number<uint64_t>();
    source.need(length);
    std::string name(length, '\0');
    source.read(name.data(), length);
    list.names.push_back(std::move(name));
  }
  return list;
}

// Calls sink(data, size) for the bytes of one record.
template <class Sink>
void write_record(const NDArray& array, Sink&& sink) {
  if (array.is_none()) fail_as(ErrorKind::kValueError, "An array without shape and memory cannot be saved");
  const auto put = [&sink](const auto value) { sink(&value, sizeof value); };
  // A scalar has no spelling in version 2.
  put(is_numpy_shape() || array.shape().ndim() == 0 ? kVersion3 : kVersion2);
  put(int32_t{0});
  put(static_cast<int32_t>(array.shape().ndim()));
  for (const int64_t dim : array.shape()) put(dim);
  put(static_cast<int32_t>(array.context().device_type));
  put(array.context().device_id);
  put(static_cast<int32_t>(array.dtype()));
  sink(array.data(), array.bytes());
}

}  // namespace

NamedArrays read_arrays(std::span<const char> bytes, const std::string& origin) {
  MemorySource source(bytes, origin);
  return read_list(source);
}

NamedArrays read_arrays_file(const std::string& path) {
  const std::string local = local_path(path);
  std::FILE* file = std::fopen(local.c_str(), "rb");
  if (file == nullptr) fail("Open \"", path, "\": ", std::strerror(errno));
  struct stat info {};
  const bool regular = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
  if (regular) {
    FileSource source(file, static_cast<uint64_t>(info.st_size), text("file \"", path, "\""));
    return read_list(source);
  }
  std::fclose(file);
  const std::string content = read_text_file(path);  // a pipe does not tell its size; a folder is an error here
  return read_arrays(content, text("file \"", path, "\""));
}

NDArray read_array(std::span<const char> bytes) {
  MemorySource source(bytes, "the buffer");
  return read_record(source);
}

void write_arrays_file(const std::string& path, const std::vector<NDArray>& arrays,
                       const std::vector<std::string>& names) {
  ReplacingFile file(path);
  const auto put = [&file](uint64_t value) { file.write(&value, sizeof value); };
  put(kListMagic);
  put(0);
  put(arrays.size());
  for (const NDArray& array : arrays) {
    write_record(array, [&file](const void* data, size_t size) { file.write(data, size); });
  }
  put(names.size());
  for (const std::string& name : names) {
    put(name.size());
    file.write(name);
  }
  file.commit();
}

std::string write_array(const NDArray& array) {
  std::string bytes;
  write_record(array, [&bytes](const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); });
  return bytes;
}

}  // namespace mxnet
