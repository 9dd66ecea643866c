// Symbol JSON from anywhere: either an error, or a symbol that can be listed, written, read again and inferred.
#include <mxnet/c_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string json(reinterpret_cast<const char*>(data), size);
  SymbolHandle symbol = nullptr;
  if (MXSymbolCreateFromJSON(json.c_str(), &symbol) != 0) return 0;

  uint32_t count = 0;
  const char** names = nullptr;
  MXSymbolListArguments(symbol, &count, &names);
  MXSymbolListOutputs(symbol, &count, &names);
  MXSymbolListAuxiliaryStates(symbol, &count, &names);

  const uint32_t starts[] = {0};
  uint32_t sizes[3];
  const int* ndim[3];
  const int** shapes[3];
  int complete = 0;
  MXSymbolInferShapePartialEx(symbol, 0, nullptr, starts, nullptr, &sizes[0], &ndim[0], &shapes[0], &sizes[1], &ndim[1],
                              &shapes[1], &sizes[2], &ndim[2], &shapes[2], &complete);

  const char* text = nullptr;
  if (MXSymbolSaveToJSON(symbol, &text) == 0) {
    const std::string written = text;
    SymbolHandle again = nullptr;
    if (MXSymbolCreateFromJSON(written.c_str(), &again) != 0) {
      std::fprintf(stderr, "its own JSON is refused: %s\n%s\n", MXGetLastError(), written.c_str());
      std::abort();
    }
    MXSymbolFree(again);
  }
  MXSymbolFree(symbol);
  return 0;
}
