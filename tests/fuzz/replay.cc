// Runs a fuzz target over files, as libFuzzer's own main does with arguments, and over every file cut short.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  int runs = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const size_t stride = bytes.size() / 200 + 1;
    for (size_t size = 0; size < bytes.size(); size += stride, ++runs) {
      // A copy of its own, so that AddressSanitizer sees a read past the end.
      const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(part.data()), part.size());
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    ++runs;
  }
  std::printf("%d inputs, no crash\n", runs);
  return runs == 0;
}
