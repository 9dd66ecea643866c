// Whole files, read and replaced.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace mxnet {

// The contents of a file. Error: Open "<path>": <reason>.
std::string read_text_file(const std::string& path);
// "file://" is taken off; other schemes are an error that says so.
std::string local_path(const std::string& path);

// Writes to a temporary file beside the target and renames it at the end, so that the old file stays whole until the
// new one is complete.
class ReplacingFile {
 public:
  explicit ReplacingFile(const std::string& path);
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;
  ~ReplacingFile();  // without commit(): the temporary file goes
  void write(const void* data, size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  [[noreturn]] void fail_write(int code);
  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace mxnet
