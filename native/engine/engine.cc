#include "engine/engine.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace mxnet {

namespace {
struct Operation;
}

// What waits on one variable, in the order it was pushed.
struct VarQueue {
  struct Ticket {
    std::shared_ptr<Operation> operation;
    bool write;
    bool granted;
  };
  std::deque<Ticket> tickets;
  std::exception_ptr error;  // of the last failed write, until somebody waits
};

namespace {

// Work that calls back into the library must not wait for itself.
thread_local bool t_inside_operation = false;

struct Operation {
  AsyncWork work;
  std::vector<VarRef> reads, writes;
  int priority = 0;
  size_t missing = 0;  // variables not granted yet
};

// One lock for all queues: only hosts that push asynchronous work come here.
class Scheduler {
 public:
  void push(std::shared_ptr<Operation> op) {
    std::unique_lock lock(mutex_);
    start_workers();
    ++outstanding_;
    op->missing = op->reads.size() + op->writes.size();
    const auto enqueue = [&](const VarRef& block, bool write) {
      Var& var = block->var();
      if (!var.queue) var.queue = std::make_shared<VarQueue>();
      var.queue->tickets.push_back({op, write, false});
      var.pending.fetch_add(1, std::memory_order_release);
      grant(*var.queue);
    };
    for (const VarRef& block : op->reads) enqueue(block, false);
    for (const VarRef& block : op->writes) enqueue(block, true);
    if (op->reads.empty() && op->writes.empty()) make_ready(op);
  }

  // Waits until no ticket (of a write, or of any kind) is left that stood in the queue on entry or came later.
  void wait(Storage& block, bool reads_too) {
    std::unique_lock lock(mutex_);
    const std::shared_ptr<VarQueue> queue = block.var().queue;
    if (!queue) return;
    changed_.wait(lock, [&] {
      return std::none_of(queue->tickets.begin(), queue->tickets.end(),
                          [&](const VarQueue::Ticket& t) { return t.write || reads_too; });
    });
    if (queue->error) {
      block.var().pending.fetch_sub(1, std::memory_order_release);
      unseen_ = nullptr;
      std::rethrow_exception(std::exchange(queue->error, nullptr));
    }
  }

  void wait_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outstanding_ == 0; });
    if (unseen_) std::rethrow_exception(std::exchange(unseen_, nullptr));
  }

 private:
  void start_workers() {
    if (workers_started_) return;
    workers_started_ = true;
    // Daemon threads: they end with the process, whose pending work a host has waited for by then.
    const unsigned count = std::max(2u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) std::thread([this] { work(); }).detach();
  }

  // Grants what may run now: the writes at the front one by one, or all reads before the first write.
  void grant(VarQueue& queue) {
    for (size_t i = 0; i < queue.tickets.size(); ++i) {
      VarQueue::Ticket& t = queue.tickets[i];
      if (t.write && i > 0) return;
      if (!t.granted) {
        t.granted = true;
        if (--t.operation->missing == 0) make_ready(t.operation);
      }
      if (t.write) return;
    }
  }

  void make_ready(const std::shared_ptr<Operation>& op) {
    const auto at = std::find_if(ready_.begin(), ready_.end(), [&](const auto& o) { return o->priority < op->priority; });
    ready_.insert(at, op);
    wake_.notify_one();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return !ready_.empty(); });
      std::shared_ptr<Operation> op = ready_.front();
      ready_.pop_front();
      lock.unlock();
      t_inside_operation = true;
      try {
        op->work([this, op](const char* error) {
          finish(op, error ? std::make_exception_ptr(Error(ErrorKind::kMXNetError, error)) : nullptr);
        });
      } catch (...) {
        finish(op, std::current_exception());
      }
      t_inside_operation = false;
      op.reset();
      lock.lock();
    }
  }

  void finish(const std::shared_ptr<Operation>& op, const std::exception_ptr& error) {
    std::vector<VarRef> released;  // freed outside the lock
    {
      const std::lock_guard lock(mutex_);
      const auto leave = [&](const VarRef& block, bool write) {
        Var& var = block->var();
        auto& tickets = var.queue->tickets;
        const auto at = std::find_if(tickets.begin(), tickets.end(), [&](const auto& t) { return t.operation == op; });
        if (at == tickets.end()) return;
        tickets.erase(at);
        // An error keeps the counter raised, so that the next wait looks here; the waiter lowers it.
        const bool first_error = error && !var.queue->error;
        if (write) {
          var.version.store(next_version(), std::memory_order_relaxed);
          if (error) var.queue->error = error;
        }
        grant(*var.queue);
        if (!(write && first_error)) var.pending.fetch_sub(1, std::memory_order_release);
      };
      for (const VarRef& block : op->reads) leave(block, false);
      for (const VarRef& block : op->writes) leave(block, true);
      if (error && !unseen_) unseen_ = error;
      --outstanding_;
      released.swap(op->reads);
      std::move(op->writes.begin(), op->writes.end(), std::back_inserter(released));
      op->writes.clear();
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable wake_, changed_;
  std::deque<std::shared_ptr<Operation>> ready_;
  size_t outstanding_ = 0;
  std::exception_ptr unseen_;
  bool workers_started_ = false;
};

Scheduler& scheduler() {
  static Scheduler* instance = new Scheduler;  // its threads outlive static destructors
  return *instance;
}

std::vector<VarRef> unique(std::vector<VarRef> blocks, const std::vector<VarRef>& without) {
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  std::erase_if(blocks, [&](const VarRef& b) {
    return !b || std::find(without.begin(), without.end(), b) != without.end();
  });
  return blocks;
}

}  // namespace

VarRef make_variable_block() { return Storage::wrap(nullptr, 0, Context{}, nullptr, nullptr); }

void push_async(AsyncWork work, std::vector<VarRef> reads, std::vector<VarRef> writes, int priority) {
  auto op = std::make_shared<Operation>();
  op->work = std::move(work);
  op->writes = unique(std::move(writes), {});
  op->reads = unique(std::move(reads), op->writes);
  op->priority = priority;
  scheduler().push(std::move(op));
}

void push_sync(std::function<void()> work, std::vector<VarRef> reads, std::vector<VarRef> writes, int priority) {
  push_async(
      [work = std::move(work)](const OnComplete& done) {
        work();
        done(nullptr);
      },
      std::move(reads), std::move(writes), priority);
}

void wait_to_read_slow(Storage& block) {
  if (!t_inside_operation) scheduler().wait(block, false);
}
void wait_to_write_slow(Storage& block) {
  if (!t_inside_operation) scheduler().wait(block, true);
}
void wait_all() { scheduler().wait_all(); }

}  // namespace mxnet
