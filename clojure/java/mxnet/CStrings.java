package mxnet;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;

/** Strings as the library takes them: NUL-terminated UTF-8, one or an array. */
public final class CStrings implements AutoCloseable {
  private final Memory memory;
  private final long[] addresses;

  /** Copies the strings out of the Java heap, until {@link #close}. */
  public CStrings(Object[] strings) {
    byte[][] encoded = new byte[strings.length][];
    long total = 0;
    for (int i = 0; i < strings.length; i++) {
      encoded[i] = ((String) strings[i]).getBytes(StandardCharsets.UTF_8);
      total += encoded[i].length + 1;
    }
    memory = total == 0 ? null : new Memory(total);
    addresses = new long[strings.length];
    long offset = 0;
    for (int i = 0; i < strings.length; i++) {
      memory.write(offset, encoded[i], 0, encoded[i].length);
      memory.setByte(offset + encoded[i].length, (byte) 0);
      addresses[i] = Pointer.nativeValue(memory) + offset;
      offset += encoded[i].length + 1;
    }
  }

  /** One address a string; valid until {@link #close}. */
  public long[] addresses() {
    return addresses;
  }

  @Override
  public void close() {
    if (memory != null) {
      memory.close();
    }
  }

  public static byte[] encode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] terminated = new byte[bytes.length + 1];
    System.arraycopy(bytes, 0, terminated, 0, bytes.length);
    return terminated;
  }

  /** The string at an address, null for 0. */
  public static String decode(long address) {
    return address == 0 ? null : new Pointer(address).getString(0, "UTF-8");
  }

  /** The strings of a C array of pointers. */
  public static String[] decodeAll(long address, int count) {
    String[] strings = new String[count];
    long[] addresses = longs(address, count);
    for (int i = 0; i < count; i++) {
      strings[i] = decode(addresses[i]);
    }
    return strings;
  }

  public static long[] longs(long address, int count) {
    return count <= 0 || address == 0 ? new long[0] : new Pointer(address).getLongArray(0, count);
  }

  public static int[] ints(long address, int count) {
    return count <= 0 || address == 0 ? new int[0] : new Pointer(address).getIntArray(0, count);
  }

  public static byte[] bytes(long address, int count) {
    return count <= 0 || address == 0 ? new byte[0] : new Pointer(address).getByteArray(0, count);
  }
}
