package mxnet;

import clojure.lang.ExceptionInfo;
import clojure.lang.IPersistentMap;
import clojure.lang.Keyword;
import clojure.lang.RT;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An object of the library: it is released once, by {@link #close}, by the scope that owns it, or by the
 * garbage collector. Whoever passes {@link #address} to the library keeps the object reachable until the
 * call returns, or the collector might release it meanwhile.
 */
public abstract class NativeObject implements AutoCloseable {
  public static final int NDARRAY = 0;
  public static final int SYMBOL = 1;
  public static final int EXECUTOR = 2;

  private static final Cleaner CLEANER = Cleaner.create(work -> {
    Thread thread = new Thread(work, "mxnet-cleaner");
    thread.setDaemon(true);
    return thread;
  });
  private static final AtomicLong[] LIVE = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
  private static final AtomicLong LIVE_BYTES = new AtomicLong();
  private static volatile boolean recordCloses = Boolean.getBoolean("mxnet.record-closes");

  /** What outlives the object; it must not refer to it. */
  private static final class State implements Runnable {
    private final int kind;
    private long address;
    private long bytes;

    State(int kind, long address) {
      this.kind = kind;
      this.address = address;
    }

    synchronized long address() {
      return address;
    }

    synchronized void account(long size) {
      if (address != 0) {
        LIVE_BYTES.addAndGet(size - bytes);
        bytes = size;
      }
    }

    private synchronized long take() {
      long taken = address;
      address = 0;
      if (taken != 0) {
        LIVE[kind].decrementAndGet();
        LIVE_BYTES.addAndGet(-bytes);
      }
      return taken;
    }

    @Override
    public void run() {
      long taken = take();
      if (taken == 0) {
        return;
      }
      switch (kind) {
        case NDARRAY -> LibMXNet.MXNDArrayFree(taken);
        case SYMBOL -> LibMXNet.MXSymbolFree(taken);
        default -> LibMXNet.MXExecutorFree(taken);
      }
    }
  }

  private final State state;
  private final Cleaner.Cleanable cleanable;
  private final String label;
  private Scope owner;
  private volatile Throwable closedAt;

  NativeObject(int kind, long address, String label, Scope owner) {
    this.state = new State(kind, address);
    this.label = label;
    LIVE[kind].incrementAndGet();
    this.cleanable = CLEANER.register(this, state);
    moveTo(owner);
  }

  /** The handle; throws when the object was closed. */
  public final long address() {
    long address = state.address();
    if (address == 0) {
      throw closedError();
    }
    return address;
  }

  private ExceptionInfo closedError() {
    String what = getClass().getSimpleName() + (label == null ? "" : " " + label);
    IPersistentMap data = RT.map(
        keyword("error"), Keyword.intern("closed"), keyword("object"), what);
    Throwable where = closedAt;
    return where == null
        ? new ExceptionInfo(what + " is closed", data)
        : new ExceptionInfo(what + " is closed; the cause shows where", data, where);
  }

  private static Keyword keyword(String name) {
    return Keyword.intern("mxnet", name);
  }

  public final boolean isClosed() {
    return state.address() == 0;
  }

  /** What the object was named when it was made, or null. */
  public final String label() {
    return label;
  }

  /** Releases the object; further calls do nothing. */
  @Override
  public void close() {
    if (recordCloses && !isClosed()) {
      closedAt = new Throwable("closed here");
    }
    moveTo(null);
    cleanable.clean();
  }

  /** Makes the scope, or nobody (null), responsible for the object. */
  public final synchronized void moveTo(Scope scope) {
    if (owner != null) {
      owner.remove(this);
    }
    owner = scope != null && scope.add(this) ? scope : null;
  }

  public final synchronized Scope owner() {
    return owner;
  }

  /** Counts so many bytes as held by the object until it is released. */
  public final void account(long bytes) {
    state.account(bytes);
  }

  /** Objects of a kind that have not been released. */
  public static long live(int kind) {
    return LIVE[kind].get();
  }

  /** Bytes accounted to objects that have not been released. */
  public static long liveBytes() {
    return LIVE_BYTES.get();
  }

  /** Whether an error about a closed object tells where it was closed. */
  public static void recordCloses(boolean on) {
    recordCloses = on;
  }
}
