// A .params file from anywhere: either an error, or arrays whose contents can be read and written again.
#include <mxnet/c_api.h>

#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint32_t count = 0, name_count = 0;
  NDArrayHandle* loaded = nullptr;
  const char** names = nullptr;
  if (MXNDArrayLoadFromBuffer(data, size, &count, &loaded, &name_count, &names) != 0) return 0;
  // The list lives until the next call on this thread.
  const std::vector<NDArrayHandle> arrays(loaded, loaded + count);
  for (NDArrayHandle array : arrays) {
    int ndim = 0, dtype = 0;
    const int* shape = nullptr;
    MXNDArrayGetShapeEx(array, &ndim, &shape);
    MXNDArrayGetDType(array, &dtype);
    size_t length = 0;
    const char* bytes = nullptr;
    MXNDArraySaveRawBytes(array, &length, &bytes);
    MXNDArrayWaitToRead(array);
  }
  for (NDArrayHandle array : arrays) MXNDArrayFree(array);
  return 0;
}
