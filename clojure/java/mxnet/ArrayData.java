package mxnet;

import clojure.lang.IPersistentVector;
import clojure.lang.ITransientCollection;
import clojure.lang.PersistentVector;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/**
 * Numbers between Clojure collections and the primitive arrays that hold a dtype's elements: float[],
 * double[], int[], long[], short[] for the 16-bit types and byte[] for the 8-bit ones. A dtype is its flag.
 */
public final class ArrayData {
  private static final int FLOAT32 = 0;
  private static final int FLOAT64 = 1;
  private static final int FLOAT16 = 2;
  private static final int UINT8 = 3;
  private static final int INT32 = 4;
  private static final int INT8 = 5;
  private static final int INT64 = 6;
  private static final int BOOL = 7;
  private static final int BFLOAT16 = 12;

  private ArrayData() {}

  /** A primitive array for so many elements. */
  public static Object allocate(int dtype, int size) {
    return switch (dtype) {
      case FLOAT32 -> new float[size];
      case FLOAT64 -> new double[size];
      case INT32 -> new int[size];
      case INT64 -> new long[size];
      case FLOAT16, BFLOAT16 -> new short[size];
      case UINT8, INT8, BOOL -> new byte[size];
      default -> throw new IllegalArgumentException("unknown dtype flag " + dtype);
    };
  }

  public static int elementBytes(int dtype) {
    return switch (dtype) {
      case FLOAT64, INT64 -> 8;
      case FLOAT32, INT32 -> 4;
      case FLOAT16, BFLOAT16 -> 2;
      default -> 1;
    };
  }

  private static long integer(Object value, long low, long high) {
    if (value instanceof Boolean flag) {
      return flag ? 1 : 0;
    }
    Number number = number(value);
    if (!(number instanceof Long) && !(number instanceof Integer)) {
      double wide = number.doubleValue();
      if (!(wide > low - 1.0 && wide < high + 1.0)) {
        throw outOfRange(value, low, high);
      }
    }
    long integer = number.longValue();
    if (integer < low || integer > high) {
      throw outOfRange(value, low, high);
    }
    return integer;
  }

  private static IllegalArgumentException outOfRange(Object value, long low, long high) {
    return new IllegalArgumentException(value + " is not between " + low + " and " + high);
  }

  private static Number number(Object value) {
    if (value instanceof Number number) {
      return number;
    }
    throw new IllegalArgumentException(
        "expected a number, got " + (value == null ? "nil" : value + " of " + value.getClass().getName()));
  }

  private static double real(Object value) {
    return value instanceof Boolean flag ? (flag ? 1 : 0) : number(value).doubleValue();
  }

  private static byte truth(Object value) {
    if (value instanceof Boolean flag) {
      return (byte) (flag ? 1 : 0);
    }
    return (byte) (number(value).doubleValue() != 0 ? 1 : 0);
  }

  /** Stores a number, converted to the dtype. */
  public static void put(Object array, int dtype, int index, Object value) {
    switch (dtype) {
      case FLOAT32 -> ((float[]) array)[index] =
          value instanceof Float exact ? exact : (float) real(value);
      case FLOAT64 -> ((double[]) array)[index] = real(value);
      case INT32 -> ((int[]) array)[index] = (int) integer(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT64 -> ((long[]) array)[index] = integer(value, Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT16 -> ((short[]) array)[index] = Half.toFloat16((float) real(value));
      case BFLOAT16 -> ((short[]) array)[index] = Half.toBfloat16((float) real(value));
      case UINT8 -> ((byte[]) array)[index] = (byte) integer(value, 0, 255);
      case INT8 -> ((byte[]) array)[index] = (byte) integer(value, -128, 127);
      default -> ((byte[]) array)[index] = truth(value);
    }
  }

  /** An element as Float (all up to 32 bits), Double, Long or Boolean. */
  public static Object get(Object array, int dtype, int index) {
    return switch (dtype) {
      case FLOAT32 -> ((float[]) array)[index];
      case FLOAT64 -> ((double[]) array)[index];
      case INT32 -> (long) ((int[]) array)[index];
      case INT64 -> ((long[]) array)[index];
      case FLOAT16 -> Half.fromFloat16(((short[]) array)[index]);
      case BFLOAT16 -> Half.fromBfloat16(((short[]) array)[index]);
      case UINT8 -> (long) (((byte[]) array)[index] & 0xff);
      case INT8 -> (long) ((byte[]) array)[index];
      default -> ((byte[]) array)[index] != 0;
    };
  }

  /** The lengths of nested collections and arrays, read along their first elements. */
  public static long[] shapeOf(Object source) {
    List<Long> lengths = new ArrayList<>();
    Object level = source;
    while (true) {
      if (level instanceof List<?> list) {
        lengths.add((long) list.size());
        if (list.isEmpty()) {
          break;
        }
        level = list.get(0);
      } else if (level != null && level.getClass().isArray()) {
        lengths.add((long) Array.getLength(level));
        if (Array.getLength(level) == 0) {
          break;
        }
        level = Array.get(level, 0);
      } else {
        break;
      }
    }
    return lengths.stream().mapToLong(Long::longValue).toArray();
  }

  /** Throws when nested collections have not the shape everywhere. */
  public static void checkShape(Object source, long[] shape, int level) {
    if (level == shape.length) {
      if (source instanceof List || (source != null && source.getClass().isArray())) {
        throw new IllegalArgumentException("the nesting is deeper in some places than in others");
      }
      return;
    }
    long length;
    if (source instanceof List<?> list) {
      length = list.size();
    } else if (source != null && source.getClass().isArray()) {
      length = Array.getLength(source);
    } else {
      throw new IllegalArgumentException("expected a collection of " + shape[level] + " at depth " + level
          + ", got " + source);
    }
    if (length != shape[level]) {
      throw new IllegalArgumentException("collections at depth " + level + " have " + shape[level] + " and "
          + length + " elements");
    }
    if (source instanceof List<?> list) {
      if (level == shape.length - 1 && !list.isEmpty() && list.get(0) instanceof Number) {
        for (Object item : list) {
          if (item instanceof List) {
            throw new IllegalArgumentException("the nesting is deeper in some places than in others");
          }
        }
        return;
      }
      for (Object item : list) {
        checkShape(item, shape, level + 1);
      }
    } else if (!source.getClass().getComponentType().isPrimitive()) {
      for (int i = 0; i < length; i++) {
        checkShape(Array.get(source, i), shape, level + 1);
      }
    }
  }

  /**
   * Writes the numbers of nested collections or arrays one after another.
   *
   * @return the number of elements written so far, counted from the array's start; numbers beyond its end
   *     are counted and not written
   */
  public static int fill(Object array, int dtype, int offset, Object source) {
    int capacity = Array.getLength(array);
    if (source instanceof Iterable<?> items) {
      int at = offset;
      for (Object item : items) {
        if (item instanceof Number || item instanceof Boolean) {
          if (at < capacity) {
            put(array, dtype, at, item);
          }
          at++;
        } else {
          at = fill(array, dtype, at, item);
        }
      }
      return at;
    }
    if (source != null && source.getClass().isArray()) {
      int length = Array.getLength(source);
      if (source.getClass() == array.getClass() && dtype != BOOL && !(source instanceof byte[])
          && !(source instanceof short[])) {
        System.arraycopy(source, 0, array, offset, Math.max(0, Math.min(length, capacity - offset)));
        return offset + length;
      }
      if (source instanceof float[] floats) {
        for (int i = 0; i < length && offset + i < capacity; i++) {
          put(array, dtype, offset + i, floats[i]);
        }
        return offset + length;
      }
      if (source instanceof double[] doubles) {
        for (int i = 0; i < length && offset + i < capacity; i++) {
          put(array, dtype, offset + i, doubles[i]);
        }
        return offset + length;
      }
      int at = offset;
      for (int i = 0; i < length; i++) {
        at = fill(array, dtype, at, Array.get(source, i));
      }
      return at;
    }
    if (offset < capacity) {
      put(array, dtype, offset, source);
    } else {
      real(source);
    }
    return offset + 1;
  }

  /** Elements from (inclusive) to (exclusive) as a vector. */
  public static IPersistentVector vector(Object array, int dtype, int from, int to) {
    ITransientCollection items = PersistentVector.EMPTY.asTransient();
    for (int i = from; i < to; i++) {
      items = items.conj(get(array, dtype, i));
    }
    return (IPersistentVector) items.persistent();
  }

  /** The array as vectors of vectors. */
  public static Object nested(Object array, int dtype, long[] shape) {
    return shape.length == 0 ? get(array, dtype, 0) : nested(array, dtype, shape, 0, 0, Array.getLength(array));
  }

  private static Object nested(Object array, int dtype, long[] shape, int level, int from, int to) {
    if (level == shape.length - 1) {
      return vector(array, dtype, from, to);
    }
    ITransientCollection items = PersistentVector.EMPTY.asTransient();
    int count = (int) shape[level];
    int step = count == 0 ? 0 : (to - from) / count;
    for (int i = 0; i < count; i++) {
      items = items.conj(nested(array, dtype, shape, level + 1, from + i * step, from + (i + 1) * step));
    }
    return items.persistent();
  }

  public static float[] floats(Object array, int dtype) {
    if (array instanceof float[] same) {
      return same;
    }
    float[] result = new float[Array.getLength(array)];
    for (int i = 0; i < result.length; i++) {
      result[i] = (float) real(get(array, dtype, i));
    }
    return result;
  }

  public static double[] doubles(Object array, int dtype) {
    if (array instanceof double[] same) {
      return same;
    }
    double[] result = new double[Array.getLength(array)];
    for (int i = 0; i < result.length; i++) {
      result[i] = real(get(array, dtype, i));
    }
    return result;
  }
}
