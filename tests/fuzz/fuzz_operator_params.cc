// Operator parameters from anywhere. The input is lines "operator", "key=value", ...: either an error, or a symbol that
// can be composed and inferred.
#include <mxnet/c_api.h>
#include <nnvm/c_api.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::string op_name, line;
  std::getline(lines, op_name);
  OpHandle op = nullptr;
  if (NNGetOpHandle(op_name.c_str(), &op) != 0) return 0;
  std::vector<std::string> texts;
  while (std::getline(lines, line)) {
    const size_t equals = line.find('=');
    texts.push_back(line.substr(0, equals));
    texts.push_back(equals == std::string::npos ? "" : line.substr(equals + 1));
  }
  std::vector<const char*> keys, values;
  for (size_t i = 0; i < texts.size(); i += 2) {
    keys.push_back(texts[i].c_str());
    values.push_back(texts[i + 1].c_str());
  }
  SymbolHandle symbol = nullptr;
  if (MXSymbolCreateAtomicSymbol(op, static_cast<uint32_t>(keys.size()), keys.data(), values.data(), &symbol) != 0) return 0;
  if (MXSymbolCompose(symbol, "op", 0, nullptr, nullptr) == 0) {
    const uint32_t index[] = {0, 4};
    const int shape[] = {2, 3, 8, 8};
    uint32_t sizes[3];
    const int* ndim[3];
    const int** shapes[3];
    int complete = 0;
    MXSymbolInferShapePartialEx(symbol, 1, nullptr, index, shape, &sizes[0], &ndim[0], &shapes[0], &sizes[1], &ndim[1],
                                &shapes[1], &sizes[2], &ndim[2], &shapes[2], &complete);
  }
  MXSymbolFree(symbol);
  return 0;
}
