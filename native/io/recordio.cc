#include "io/recordio.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "io/file.h"

namespace mxnet {
namespace {

constexpr uint32_t kMagic = 0xced7230a;
constexpr uint32_t kLengthBits = 29;
constexpr uint32_t kMaxLength = (1u << kLengthBits) - 1;
// A record whose bytes contain the magic number is cut there into parts.
enum Flag : uint32_t { kWhole = 0, kFirst = 1, kMiddle = 2, kLast = 3 };

std::FILE* open_file(const std::string& path, const char* mode) {
  std::FILE* file = std::fopen(local_path(path).c_str(), mode);
  if (file == nullptr) fail("Open \"", path, "\": ", std::strerror(errno));
  return file;
}

}  // namespace

RecordWriter::RecordWriter(const std::string& path) : path_(path), file_(open_file(path, "wb")) {}

void RecordWriter::put(uint32_t flag, const char* data, size_t size) {
  const uint32_t header[2] = {kMagic, flag << kLengthBits | static_cast<uint32_t>(size)};
  const char zero[4] = {};
  const size_t padding = (4 - size % 4) % 4;
  std::FILE* file = file_.get();
  const bool ok = std::fwrite(header, 1, sizeof header, file) == sizeof header &&
                  std::fwrite(data, 1, size, file) == size && std::fwrite(zero, 1, padding, file) == padding;
  if (!ok) fail("Write \"", path_, "\": ", std::strerror(errno));
  position_ += sizeof header + size + padding;
}

void RecordWriter::write(const char* data, size_t size) {
  if (size > kMaxLength) {
    fail_as(ErrorKind::kValueError, "A record of ", size, " bytes was given; fewer than ", uint64_t{kMaxLength} + 1,
            " are possible");
  }
  size_t begin = 0;
  bool cut = false;
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t word = 0;
    std::memcpy(&word, data + i, 4);
    if (word != kMagic) continue;
    put(cut ? kMiddle : kFirst, data + begin, i - begin);
    begin = i + 4;
    cut = true;
  }
  put(cut ? kLast : kWhole, data + begin, size - begin);
}

void RecordWriter::flush() {
  if (std::fflush(file_.get()) != 0) fail("Write \"", path_, "\": ", std::strerror(errno));
}

RecordReader::RecordReader(const std::string& path) : path_(path), file_(open_file(path, "rb")) {
  struct stat info {};
  if (fstat(fileno(file_.get()), &info) != 0 || !S_ISREG(info.st_mode)) fail("Open \"", path, "\": not a regular file");
  size_ = static_cast<uint64_t>(info.st_size);
}

void RecordReader::fail_format(const char* what) const {
  fail("Invalid RecordIO file \"", path_, "\": ", what, " near byte ", position_);
}

bool RecordReader::read_exact(void* target, size_t size) {
  if (position_ == size_) return false;
  if (size > size_ - position_) fail_format("the file is truncated");
  if (std::fread(target, 1, size, file_.get()) != size) fail_format("the file cannot be read");
  position_ += size;
  return true;
}

bool RecordReader::read(std::string& record) {
  record.clear();
  for (bool first = true;; first = false) {
    uint32_t header[2];
    if (!read_exact(header, sizeof header)) {
      if (first) return false;
      fail_format("the last part of a record is missing");
    }
    if (header[0] != kMagic) fail_format("no record begins");
    const uint32_t flag = header[1] >> kLengthBits;
    const size_t length = header[1] & kMaxLength;
    if (flag > kLast || (flag == kWhole || flag == kFirst) != first) fail_format("parts of a record are out of order");
    if (!first) record.append(reinterpret_cast<const char*>(&kMagic), sizeof kMagic);
    const size_t padded = (length + 3) / 4 * 4;
    if (padded > size_ - position_) fail_format("the file is truncated");
    const size_t old = record.size();
    record.resize(old + padded);
    if (padded != 0) read_exact(record.data() + old, padded);
    record.resize(old + length);
    if (flag == kWhole || flag == kLast) return true;
  }
}

void RecordReader::seek(uint64_t position) {
  if (position > size_) {
    fail_as(ErrorKind::kValueError, "Position ", position, " is behind the end of \"", path_, "\" at ", size_);
  }
  if (std::fseek(file_.get(), static_cast<long>(position), SEEK_SET) != 0) fail_format("the file cannot be read");
  position_ = position;
}

}  // namespace mxnet
