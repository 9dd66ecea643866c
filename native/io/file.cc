#include "io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace mxnet {

std::string local_path(const std::string& path) {
  const size_t scheme = path.find("://");
  if (scheme == std::string::npos) return path;
  if (path.compare(0, scheme, "file") == 0) return path.substr(scheme + 3);
  fail_as(ErrorKind::kNotImplementedError, "Open \"", path, "\": the scheme ", path.substr(0, scheme),
          " is not supported, only local files are");
}

std::string read_text_file(const std::string& path) {
  const std::string local = local_path(path);
  std::FILE* file = std::fopen(local.c_str(), "rb");
  if (file == nullptr) fail("Open \"", path, "\": ", std::strerror(errno));
  std::string content;
  char buffer[1 << 16];
  size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) content.append(buffer, got);
  const int code = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (code != 0) fail("Read \"", path, "\": ", std::strerror(code));
  return content;
}

ReplacingFile::ReplacingFile(const std::string& path) : path_(local_path(path)) {
  struct stat info {};
  // A pipe or device cannot be replaced; it is written directly.
  if (stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    temporary_ = path_;
  } else {
    static std::atomic<unsigned> counter{0};
    temporary_ = text(path_, ".", static_cast<int64_t>(getpid()), ".", counter.fetch_add(1), ".tmp");
  }
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail("Open \"", path, "\": ", std::strerror(errno));
}

ReplacingFile::~ReplacingFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (temporary_ != path_) unlink(temporary_.c_str());
}

void ReplacingFile::fail_write(int code) { fail("Write \"", path_, "\": ", std::strerror(code)); }

void ReplacingFile::write(const void* data, size_t size) {
  if (size != 0 && std::fwrite(data, 1, size, file_) != size) fail_write(errno);
}

void ReplacingFile::commit() {
  if (std::fflush(file_) != 0) fail_write(errno);
  // Without this a crash of the machine could leave the new name with old or missing blocks.
  if (temporary_ != path_ && fsync(fileno(file_)) != 0) fail_write(errno);
  const int closed = std::fclose(file_);
  file_ = nullptr;
  const int code = closed != 0 || (temporary_ != path_ && std::rename(temporary_.c_str(), path_.c_str()) != 0) ? errno : 0;
  if (code == 0) return;
  if (temporary_ != path_) unlink(temporary_.c_str());
  fail_write(code);
}

}  // namespace mxnet
