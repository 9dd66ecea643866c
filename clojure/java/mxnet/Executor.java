package mxnet;

/** A symbol bound to arrays. */
public final class Executor extends NativeObject {
  private final Object bound;
  private final Scope children;

  /**
   * @param bound what the front end keeps about the executor
   * @param children the arrays that live as long as the executor does
   */
  public Executor(long address, String name, Scope owner, Object bound, Scope children) {
    super(EXECUTOR, address, name, owner);
    this.bound = bound;
    this.children = children;
    children.host(this);
  }

  public Object bound() {
    return bound;
  }

  public Scope children() {
    return children;
  }

  @Override
  public void close() {
    super.close();
    children.close();
  }
}
