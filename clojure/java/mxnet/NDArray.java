package mxnet;

/** An array of the library. */
public final class NDArray extends NativeObject {
  // Weak references to the arrays this one was computed from, for ndarray/dispose-deps.
  private volatile Object sources;

  public NDArray(long address, Scope owner) {
    super(NDARRAY, address, null, owner);
  }

  public Object sources() {
    return sources;
  }

  public void sources(Object references) {
    sources = references;
  }
}
