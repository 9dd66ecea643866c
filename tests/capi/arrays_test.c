/* Arrays: creation, copies, views, files. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static NDArrayHandle array_of(const float* data, const uint32_t* shape, uint32_t ndim) {
  NDArrayHandle array = NULL;
  size_t size = 1;
  for (uint32_t i = 0; i < ndim; ++i) size *= shape[i];
  OK(MXNDArrayCreateEx(shape, ndim, 1, 0, 0, 0, &array));
  OK(MXNDArraySyncCopyFromCPU(array, data, size));
  return array;
}

static void test_create(void) {
  NDArrayHandle array = NULL;
  const int64_t shape[] = {2, 3};
  OK(MXNDArrayCreateEx64(shape, 2, 1, 0, 0, 6, &array));
  int ndim = 0, dtype = 0, dev_type = 0, dev_id = -1, stype = -1;
  const int64_t* dims = NULL;
  OK(MXNDArrayGetShapeEx64(array, &ndim, &dims));
  CHECK(ndim == 2 && dims[0] == 2 && dims[1] == 3);
  OK(MXNDArrayGetDType(array, &dtype));
  CHECK(dtype == 6);
  OK(MXNDArrayGetContext(array, &dev_type, &dev_id));
  CHECK(dev_type == 1 && dev_id == 0);
  OK(MXNDArrayGetStorageType(array, &stype));
  CHECK(stype == 0);
  OK(MXNDArrayFree(array));

  OK(MXNDArrayCreateNone(&array));
  const int* untouched = (const int*)&ndim;
  const int* pointer = untouched;
  OK(MXNDArrayGetShapeEx(array, &ndim, &pointer));
  CHECK(ndim == 0 && pointer == untouched);
  OK(MXNDArrayGetDType(array, &dtype));
  CHECK(dtype == -1);
  OK(MXNDArrayGetStorageType(array, &stype));
  CHECK(stype == -1);
  float one = 1;
  FAILS(MXNDArraySyncCopyFromCPU(array, &one, 1), "no shape and no memory");
  OK(MXNDArrayFree(array));

  array = NULL;
  const int64_t negative[] = {-5};
  FAILS(MXNDArrayCreateEx64(negative, 1, 1, 0, 0, 0, &array), "-5");
  const int64_t huge[] = {INT64_MAX, INT64_MAX};
  FAILS(MXNDArrayCreateEx64(huge, 2, 1, 0, 0, 0, &array), "");
  const int64_t large[] = {INT64_MAX / 8};
  FAILS(MXNDArrayCreateEx64(large, 1, 1, 0, 0, 0, &array), "");
  FAILS(MXNDArrayCreateEx64(shape, 2, 1, 0, 0, 99, &array), "99");
  FAILS(MXNDArrayCreateEx64(shape, 2, 9, 0, 0, 0, &array), "9");
  FAILS(MXNDArrayCreateEx64(shape, 2, 2, 0, 0, 0, &array), "gpu");
  FAILS(MXNDArrayCreateEx64(shape, -1, 1, 0, 0, 0, &array), "ndim");
  CHECK(array == NULL);
}

static void test_views(void) {
  const float data[] = {1, 2, 3, 4, 5, 6};
  const uint32_t shape[] = {3, 2};
  NDArrayHandle array = array_of(data, shape, 2), row = NULL, rows = NULL, flat = NULL;
  float out[6];
  OK(MXNDArrayAt(array, 1, &row));
  OK(MXNDArraySyncCopyToCPU(row, out, 2));
  CHECK(out[0] == 3 && out[1] == 4);
  OK(MXNDArraySlice(array, 1, 3, &rows));
  const float changed[] = {30, 40, 50, 60};
  OK(MXNDArraySyncCopyFromCPU(rows, changed, 4));
  OK(MXNDArrayFree(array)); /* views keep the memory */
  OK(MXNDArraySyncCopyToCPU(row, out, 2));
  CHECK(out[0] == 30 && out[1] == 40);
  int dims[] = {-1};
  OK(MXNDArrayReshape(rows, 1, dims, &flat));
  int ndim = 0;
  const int* shape_out = NULL;
  OK(MXNDArrayGetShapeEx(flat, &ndim, &shape_out));
  CHECK(ndim == 1 && shape_out[0] == 4);
  FAILS(MXNDArraySyncCopyToCPU(flat, out, 3), "3 elements");
  FAILS(MXNDArrayAt(rows, 7, &array), "");
  FAILS(MXNDArraySlice(rows, 2, 9, &array), "");
  int bad[] = {3};
  FAILS(MXNDArrayReshape(rows, 1, bad, &array), "");
  OK(MXNDArrayFree(row));
  OK(MXNDArrayFree(rows));
  OK(MXNDArrayFree(flat));
}

static void test_files(void) {
  char path[] = "/tmp/mxnet_capi_XXXXXX";
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  close(fd);
  const float data[] = {1, 2, 3, 4};
  const uint32_t shape[] = {2, 2};
  NDArrayHandle arrays[2] = {array_of(data, shape, 2), array_of(data, shape, 1)};
  const char* names[] = {"arg:w", "aux:m"};
  OK(MXNDArraySave(path, 2, arrays, names));

  uint32_t count = 0, name_count = 0;
  NDArrayHandle* loaded = NULL;
  const char** loaded_names = NULL;
  OK(MXNDArrayLoad(path, &count, &loaded, &name_count, &loaded_names));
  CHECK(count == 2 && name_count == 2);
  CHECK(strcmp(loaded_names[1], "aux:m") == 0);
  NDArrayHandle first = loaded[0], second = loaded[1];
  float out[4] = {0};
  OK(MXNDArraySyncCopyToCPU(first, out, 4));
  CHECK(memcmp(out, data, sizeof data) == 0);

  /* One array as a blob, cut at every length. */
  size_t size = 0;
  const char* bytes = NULL;
  OK(MXNDArraySaveRawBytes(first, &size, &bytes));
  char* copy = malloc(size);
  memcpy(copy, bytes, size);
  NDArrayHandle again = NULL;
  for (size_t cut = 0; cut < size; ++cut) CHECK(MXNDArrayLoadFromRawBytes(copy, cut, &again) == -1);
  OK(MXNDArrayLoadFromRawBytes(copy, size, &again));
  OK(MXNDArraySyncCopyToCPU(again, out, 4));
  CHECK(memcmp(out, data, sizeof data) == 0);
  free(copy);

  /* A list that cannot be saved leaves the old file whole. */
  NDArrayHandle none = NULL;
  OK(MXNDArrayCreateNone(&none));
  NDArrayHandle bad[2] = {first, none};
  FAILS(MXNDArraySave(path, 2, bad, NULL), "cannot be saved");
  OK(MXNDArrayLoad(path, &count, &loaded, &name_count, &loaded_names));
  CHECK(count == 2);
  for (uint32_t i = 0; i < count; ++i) OK(MXNDArrayFree(loaded[i]));
  FAILS(MXNDArrayLoad("/no/such/file", &count, &loaded, &name_count, &loaded_names), "Open \"/no/such/file\"");
  FAILS(MXNDArrayLoad("/tmp", &count, &loaded, &name_count, &loaded_names), "/tmp");
  FAILS(MXNDArraySave("/no/such/folder/x", 1, &first, NULL), "/no/such/folder/x");
  const uint64_t claims[] = {0x112, 0, UINT64_C(1) << 60};
  FAILS(MXNDArrayLoadFromBuffer(claims, sizeof claims, &count, &loaded, &name_count, &loaded_names), "truncated");

  OK(MXNDArrayFree(first));
  OK(MXNDArrayFree(second));
  OK(MXNDArrayFree(again));
  OK(MXNDArrayFree(none));
  OK(MXNDArrayFree(arrays[0]));
  OK(MXNDArrayFree(arrays[1]));
  unlink(path);
}

/* The tensor of the DLPack standard, as a consumer sees it. */
struct Tensor {
  void* data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
  void* manager_ctx;
  void (*deleter)(struct Tensor*);
};

static int deleted;
static void count_delete(struct Tensor* tensor) {
  (void)tensor;
  ++deleted;
}

static void test_dlpack(void) {
  const float data[] = {1, 2, 3, 4, 5, 6};
  const uint32_t shape[] = {2, 3};
  NDArrayHandle array = array_of(data, shape, 2), view = NULL;
  DLManagedTensorHandle managed = NULL;
  OK(MXNDArrayToDLPack(array, &managed));
  struct Tensor* tensor = managed;
  CHECK(tensor->device_type == 1 && tensor->ndim == 2 && tensor->code == 2 && tensor->bits == 32);
  CHECK(tensor->shape[1] == 3 && tensor->strides[0] == 3 && tensor->strides[1] == 1);
  OK(MXNDArrayFree(array)); /* the tensor keeps the memory */
  CHECK(((float*)tensor->data)[5] == 6);
  OK(MXNDArrayFromDLPack(managed, &view)); /* which now owns the tensor */
  float out[6];
  OK(MXNDArraySyncCopyToCPU(view, out, 6));
  CHECK(memcmp(out, data, sizeof data) == 0);
  OK(MXNDArrayFree(view));

  int64_t dims[] = {2, 3}, strides[] = {1, 2};
  float memory[6] = {0};
  struct Tensor mine = {memory, 1, 0, 2, 2, 32, 1, dims, strides, 0, NULL, count_delete};
  FAILS(MXNDArrayFromDLPackEx(&mine, true, &view), "row-major");
  mine.strides = NULL;
  mine.bits = 16;
  mine.code = 1;
  FAILS(MXNDArrayFromDLPackEx(&mine, true, &view), "16 bits");
  mine.bits = 32;
  mine.code = 2;
  mine.device_type = 2;
  FAILS(MXNDArrayFromDLPackEx(&mine, true, &view), "device");
  mine.device_type = 1;
  CHECK(deleted == 0);
  OK(MXNDArrayFromDLPackEx(&mine, true, &view));
  OK(MXNDArraySyncCopyFromCPU(view, data, 6));
  CHECK(memory[5] == 6);
  OK(MXNDArrayFree(view));
  CHECK(deleted == 1);
  OK(MXNDArrayToDLPack((array = array_of(data, shape, 2)), &managed));
  OK(MXNDArrayCallDLPackDeleter(managed));
  OK(MXNDArrayCallDLPackDeleter(NULL));
  NDArrayHandle other = array_of(memory, shape, 2);
  OK(MXNDArraySyncCopyFromNDArray(other, array, -1));
  OK(MXNDArraySyncCopyToCPU(other, out, 6));
  CHECK(memcmp(out, data, sizeof data) == 0);
  OK(MXNDArrayFree(other));
  OK(MXNDArrayFree(array));
}

int main(void) {
  test_create();
  test_views();
  test_files();
  test_dlpack();
  return check_report("arrays");
}
