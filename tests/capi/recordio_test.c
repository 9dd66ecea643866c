/* RecordIO: what is written is read again, and broken files are errors. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

int main(void) {
  char path[] = "/tmp/mxnet_capi_XXXXXX";
  close(mkstemp(path));
  const uint32_t magic = 0xced7230a;
  char tricky[20] = "abcd........wxyz123";
  memcpy(tricky + 4, &magic, 4);
  memcpy(tricky + 8, &magic, 4);
  RecordIOHandle writer = NULL, reader = NULL;
  size_t position = 0, second = 0;
  OK(MXRecordIOWriterCreate(path, &writer));
  OK(MXRecordIOWriterWriteRecord(writer, "hello", 5));
  OK(MXRecordIOWriterTell(writer, &second));
  CHECK(second == 16);
  OK(MXRecordIOWriterWriteRecord(writer, tricky, 19));
  OK(MXRecordIOWriterWriteRecord(writer, NULL, 0));
  FAILS(MXRecordIOReaderTell(writer, &position), "is a writer");
  FAILS(MXRecordIOReaderFree(writer), "is a writer");
  OK(MXRecordIOWriterFree(writer));

  const char* bytes = NULL;
  size_t size = 0;
  OK(MXRecordIOReaderCreate(path, &reader));
  OK(MXRecordIOReaderReadRecord(reader, &bytes, &size));
  CHECK(size == 5 && memcmp(bytes, "hello", 5) == 0);
  OK(MXRecordIOReaderReadRecord(reader, &bytes, &size));
  CHECK(size == 19 && memcmp(bytes, tricky, 19) == 0);
  OK(MXRecordIOReaderReadRecord(reader, &bytes, &size));
  CHECK(bytes != NULL && size == 0);
  OK(MXRecordIOReaderReadRecord(reader, &bytes, &size));
  CHECK(bytes == NULL && size == 0);
  OK(MXRecordIOReaderSeek(reader, second));
  OK(MXRecordIOReaderReadRecord(reader, &bytes, &size));
  CHECK(size == 19);
  FAILS(MXRecordIOReaderSeek(reader, 100000), "100000");
  OK(MXRecordIOReaderSeek(reader, 4));
  FAILS(MXRecordIOReaderReadRecord(reader, &bytes, &size), "no record begins");
  OK(MXRecordIOReaderFree(reader));

  CHECK(truncate(path, 30) == 0);
  OK(MXRecordIOReaderCreate(path, &reader));
  OK(MXRecordIOReaderReadRecord(reader, &bytes, &size));
  FAILS(MXRecordIOReaderReadRecord(reader, &bytes, &size), "truncated");
  OK(MXRecordIOReaderFree(reader));
  unlink(path);
  FAILS(MXRecordIOReaderCreate("/no/such/file", &reader), "/no/such/file");
  return check_report("recordio");
}
