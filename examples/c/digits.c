/* Evaluate the network that examples/python/digits.py trained, with nothing but libmxnet.so and its predict interface.
 *
 * usage: digits FOLDER [DATA]   reads digits-symbol.json and digits-0000.params in FOLDER, writes c.csv there.
 */
#include <mxnet/c_predict_api.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIXELS = 64, CLASSES = 10, MAX_IMAGES = 2000 };

static float images[MAX_IMAGES * PIXELS];
static float probabilities[MAX_IMAGES * CLASSES];
static int labels[MAX_IMAGES];

static void check(int status, const char* what) {
  if (status != 0) {
    fprintf(stderr, "%s: %s\n", what, MXGetLastError());
    exit(1);
  }
}

static FILE* open_file(const char* path, const char* mode) {
  FILE* file = fopen(path, mode);
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  return file;
}

/* Returns the file's bytes, with a NUL behind them, and their number. */
static char* read_file(const char* path, long* size) {
  FILE* file = open_file(path, "rb");
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char* bytes = malloc((size_t)*size + 1);
  if (bytes == NULL || fread(bytes, 1, (size_t)*size, file) != (size_t)*size) {
    fprintf(stderr, "%s: cannot be read\n", path);
    exit(1);
  }
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

/* Keeps every fifth line, the test images, and returns their number. */
static int read_test_images(const char* path) {
  FILE* file = open_file(path, "r");
  int pixels[PIXELS], label, line = 0, count = 0;
  for (;; ++line) {
    for (int i = 0; i < PIXELS; ++i) {
      if (fscanf(file, "%d,", &pixels[i]) != 1) {
        fclose(file);
        return count;
      }
    }
    if (fscanf(file, "%d", &label) != 1) break;
    if (line % 5 != 4 || count == MAX_IMAGES) continue;
    for (int i = 0; i < PIXELS; ++i) images[count * PIXELS + i] = (float)pixels[i] / 16;
    labels[count++] = label;
  }
  fprintf(stderr, "%s: line %d holds no label\n", path, line + 1);
  exit(1);
}

int main(int argc, char** argv) {
  char path[4096];
  if (argc < 2) {
    fprintf(stderr, "usage: %s FOLDER [DATA]\n", argv[0]);
    return 2;
  }
  const int count = read_test_images(argc > 2 ? argv[2] : "examples/data/digits.csv");

  long json_size, params_size;
  snprintf(path, sizeof path, "%s/digits-symbol.json", argv[1]);
  char* json = read_file(path, &json_size);
  snprintf(path, sizeof path, "%s/digits-0000.params", argv[1]);
  char* params = read_file(path, &params_size);

  const char* names[] = {"data"};
  const mx_uint shape_starts[] = {0, 4};
  const mx_uint shape[] = {(mx_uint)count, 1, 8, 8};
  PredictorHandle predictor;
  check(MXPredCreate(json, params, (int)params_size, 1, 0, 1, names, shape_starts, shape, &predictor), "MXPredCreate");
  free(json);
  free(params);

  check(MXPredSetInput(predictor, "data", images, (mx_uint)(count * PIXELS)), "MXPredSetInput");
  check(MXPredForward(predictor), "MXPredForward");
  check(MXPredGetOutput(predictor, 0, probabilities, (mx_uint)(count * CLASSES)), "MXPredGetOutput");
  check(MXPredFree(predictor), "MXPredFree");

  snprintf(path, sizeof path, "%s/c.csv", argv[1]);
  FILE* out = open_file(path, "w");
  int predictions[MAX_IMAGES], right = 0;
  for (int i = 0; i < count; ++i) {
    const float* row = probabilities + i * CLASSES;
    predictions[i] = 0;
    for (int j = 0; j < CLASSES; ++j) {
      if (row[j] > row[predictions[i]]) predictions[i] = j;
      fprintf(out, j + 1 < CLASSES ? "%.9g," : "%.9g\n", row[j]);
    }
    right += predictions[i] == labels[i];
  }
  fclose(out);
  printf("test accuracy %.4f\nfirst ten predictions", count > 0 ? (double)right / count : 0.0);
  for (int i = 0; i < 10 && i < count; ++i) printf(" %d", predictions[i]);
  printf("\n");
  return 0;
}
