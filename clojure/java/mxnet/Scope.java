package mxnet;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Owns library objects and releases them together. Any thread may use it. */
public final class Scope implements AutoCloseable {
  private final Scope parent;
  private final Set<NativeObject> objects = new HashSet<>();
  private NativeObject host;
  private boolean closed;

  public Scope(Scope parent) {
    this.parent = parent;
  }

  public Scope parent() {
    return parent;
  }

  /** The executor whose arrays the scope holds. */
  synchronized void host(NativeObject executor) {
    host = executor;
  }

  /** False when the scope is closed already. */
  synchronized boolean add(NativeObject object) {
    return !closed && objects.add(object);
  }

  synchronized void remove(NativeObject object) {
    objects.remove(object);
  }

  public synchronized int size() {
    return objects.size();
  }

  /** Whether closing the other scope releases what this one holds. */
  public boolean within(Scope other) {
    if (this == other) {
      return true;
    }
    NativeObject executor;
    synchronized (this) {
      executor = host;
    }
    Scope owner = executor == null ? null : executor.owner();
    return owner != null && owner.within(other);
  }

  @Override
  public void close() {
    List<NativeObject> doomed;
    synchronized (this) {
      closed = true;
      doomed = new ArrayList<>(objects);
      objects.clear();
    }
    for (NativeObject object : doomed) {
      object.close();
    }
  }
}
