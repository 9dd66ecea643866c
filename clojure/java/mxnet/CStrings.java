package mxnet;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;

/** Strings as the library takes them: NUL-terminated UTF-8, one or an array. */
public final class CStrings implements AutoCloseable {
  private long memory;
  private final long[] addresses;

  /** Copies the strings out of the Java heap, until {@link #close}. */
  public CStrings(Object[] strings) {
    byte[][] encoded = new byte[strings.length][];
    int total = 0;
    for (int i = 0; i < strings.length; i++) {
      encoded[i] = ((String) strings[i]).getBytes(StandardCharsets.UTF_8);
      total = Math.addExact(total, encoded[i].length + 1);
    }
    addresses = new long[strings.length];
    if (total == 0) {
      return;
    }
    byte[] all = new byte[total];
    int offset = 0;
    for (byte[] text : encoded) {
      System.arraycopy(text, 0, all, offset, text.length);
      offset += text.length + 1;
    }
    memory = Native.malloc(total);
    if (memory == 0) {
      throw new OutOfMemoryError("no " + total + " bytes for strings");
    }
    new Pointer(memory).write(0, all, 0, total);
    long at = memory;
    for (int i = 0; i < encoded.length; i++) {
      addresses[i] = at;
      at += encoded[i].length + 1;
    }
  }

  /** One address a string; valid until {@link #close}. */
  public long[] addresses() {
    return addresses;
  }

  @Override
  public void close() {
    Native.free(memory);
    memory = 0;
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
