// RecordIO files: records of any bytes one after another, in MXNet's format.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace mxnet {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class RecordWriter {
 public:
  explicit RecordWriter(const std::string& path);  // truncates the file
  void write(const char* data, size_t size);       // fewer than 2^29 bytes
  uint64_t tell() const { return position_; }
  void flush();

 private:
  void put(uint32_t flag, const char* data, size_t size);
  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  uint64_t position_ = 0;
};

class RecordReader {
 public:
  explicit RecordReader(const std::string& path);
  // The next record; false at the end of the file. Errors name the position.
  bool read(std::string& record);
  void seek(uint64_t position);
  uint64_t tell() const { return position_; }

 private:
  [[noreturn]] void fail_format(const char* what) const;
  bool read_exact(void* target, size_t size);  // false: the file ended before the first byte
  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  uint64_t size_ = 0;
  uint64_t position_ = 0;
};

}  // namespace mxnet
