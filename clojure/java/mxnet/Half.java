package mxnet;

/** 16-bit floating point formats; both round to nearest even. */
public final class Half {
  private Half() {}

  /** IEEE 754 binary16 bits of a number. */
  public static short toFloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    int sign = (bits >>> 16) & 0x8000;
    int magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
      return (short) (sign | 0x7e00);
    }
    if (magnitude >= 0x477ff000) { // 65520 and more round to infinity
      return (short) (sign | 0x7c00);
    }
    if (magnitude >= 0x38800000) { // normal
      int rebased = magnitude - 0x38000000;
      return (short) (sign | ((rebased + 0xfff + ((rebased >>> 13) & 1)) >>> 13));
    }
    // Subnormal: adding 0.5 aligns the last bit of a float with that of a half, and rounds.
    int aligned = Float.floatToRawIntBits(Float.intBitsToFloat(magnitude) + 0.5f);
    return (short) (sign | (aligned - 0x3f000000));
  }

  public static float fromFloat16(short half) {
    int sign = (half & 0x8000) << 16;
    int exponent = (half >>> 10) & 0x1f;
    int fraction = half & 0x3ff;
    if (exponent == 0x1f) {
      return Float.intBitsToFloat(sign | 0x7f800000 | (fraction << 13));
    }
    if (exponent == 0) {
      float value = fraction * 0x1p-24f;
      return sign == 0 ? value : -value;
    }
    return Float.intBitsToFloat(sign | ((exponent + 112) << 23) | (fraction << 13));
  }

  public static short toBfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if ((bits & 0x7fffffff) > 0x7f800000) {
      return (short) ((bits >>> 16) | 0x40);
    }
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }

  public static float fromBfloat16(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }
}
