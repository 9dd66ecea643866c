package mxnet;

/** A symbolic expression of the library. */
public final class Symbol extends NativeObject {
  public Symbol(long address, String name, Scope owner) {
    super(SYMBOL, address, name, owner);
  }
}
