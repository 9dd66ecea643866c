// RecordIO files.
#include "io/recordio.h"

#include "convert.h"
#include "generated/impl.h"

namespace mxnet::capi {

// A reader or a writer: both have the same kind of handle.
struct RecordIOObject {
  std::unique_ptr<RecordWriter> writer;
  std::unique_ptr<RecordReader> reader;
  std::string record;
};

namespace {

RecordWriter& writer_of(RecordIOObject& object, const char* function) {
  if (!object.writer) fail_as(ErrorKind::kValueError, function, ": the handle is a reader, a writer is needed");
  return *object.writer;
}

RecordReader& reader_of(RecordIOObject& object, const char* function) {
  if (!object.reader) fail_as(ErrorKind::kValueError, function, ": the handle is a writer, a reader is needed");
  return *object.reader;
}

}  // namespace

namespace impl {

void MXRecordIOWriterCreate(const char* uri, RecordIOHandle* out) {
  RecordIOObject object;
  object.writer = std::make_unique<RecordWriter>(uri);
  *out = make_handle(std::move(object));
}

void MXRecordIOWriterFree(RecordIOHandle handle) {
  if (handle == nullptr) return;
  writer_of(deref<RecordIOObject>(handle, __func__, "handle"), __func__).flush();
  free_handle<RecordIOObject>(handle, __func__, "handle");
}

void MXRecordIOWriterWriteRecord(RecordIOObject& handle, const char* buf, size_t size) {
  writer_of(handle, __func__).write(buf, size);
}

void MXRecordIOWriterTell(RecordIOObject& handle, size_t* pos) { *pos = writer_of(handle, __func__).tell(); }

void MXRecordIOReaderCreate(const char* uri, RecordIOHandle* out) {
  RecordIOObject object;
  object.reader = std::make_unique<RecordReader>(uri);
  *out = make_handle(std::move(object));
}

void MXRecordIOReaderFree(RecordIOHandle handle) {
  if (handle == nullptr) return;
  reader_of(deref<RecordIOObject>(handle, __func__, "handle"), __func__);
  free_handle<RecordIOObject>(handle, __func__, "handle");
}

// An empty record has a pointer and no bytes; the end of the file has neither.
void MXRecordIOReaderReadRecord(RecordIOObject& handle, char const** buf, size_t* size) {
  const bool found = reader_of(handle, __func__).read(handle.record);
  *buf = found ? handle.record.data() : nullptr;
  *size = found ? handle.record.size() : 0;
}

void MXRecordIOReaderSeek(RecordIOObject& handle, size_t pos) { reader_of(handle, __func__).seek(pos); }

void MXRecordIOReaderTell(RecordIOObject& handle, size_t* pos) { *pos = reader_of(handle, __func__).tell(); }

}  // namespace impl
}  // namespace mxnet::capi
