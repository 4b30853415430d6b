#include "props/harness/containment/child.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "props/harness/containment/disturbance.h"
#include "props/harness/containment/fault_handler.h"
#include "props/harness/containment/interpose_state.h"
#include "props/harness/containment/watched.h"
#include "props/harness/containment/wire.h"
#include "props/harness/interpreter.h"

namespace lockstep {
namespace {

// When answers take this much, the harness reads them before more operations are run.
constexpr size_t kAnswersPauseBytes = size_t{8} << 20;
constexpr int64_t kAwaitMicroseconds = 1'000'000;

template <size_t kSize>
void CopyText(const std::string& from, char (&to)[kSize]) {
  const size_t bytes = from.copy(to, kSize - 1);
  to[bytes] = '\0';
}

class Child {
 public:
  Child(Arena& arena, const CInterface& functions)
      : arena_(arena),
        control_(arena.control()),
        functions_(Watch(functions, control_.surroundings, control_.live_bytes_limit)),
        interpreter_(control_.interpreter),
        disturbance_(control_.surroundings, functions_) {
    interpose::state.refused_bytes = &control_.refused_bytes;
    CatchFaults(control_, interpreter_);
    control_.has_batch = functions_.propose_batch != nullptr;
    const char* const name = functions_.impl_name();
    CopyText(name == nullptr ? std::string() : std::string(name, strnlen(name, 255)),
             control_.name);
    before_ = interpose::ReadStatm();
  }

  // Returns when the harness says that it is over.
  void Serve() {
    uint32_t done = 0;
    while (true) {
      const uint32_t seen = control_.bell.load(std::memory_order_acquire);
      if (control_.asked.load(std::memory_order_acquire) == done) {
        AwaitRing(control_.bell, seen, kAwaitMicroseconds);
        continue;
      }
      ++done;
      if (control_.command == Command::kFinish) break;
      Do(control_.command);
      Enter(Phase::kIdle);
      control_.answered.store(done, std::memory_order_release);
      Ring(control_.bell);
    }
    DestroyCache();
    Enter(Phase::kExiting);
  }

 private:
  void Enter(Phase phase) { control_.phase.store(static_cast<uint32_t>(phase)); }

  void Do(Command command) {
    switch (command) {
      case Command::kCreate:
        return MakeCache();
      case Command::kRun:
        return RunOps();
      case Command::kRepeat:
        return RepeatOps();
      case Command::kSample:
        return Sample();
      case Command::kDestroy:
        return DestroyCache();
      case Command::kFailAllocation:
        interpose::state.fail_at =
            control_.argument == 0 ? 0 : interpose::state.allocations + control_.argument;
        return;
      case Command::kFinish:
        return;
    }
  }

  void MakeCache() {
    DestroyCache();
    Enter(Phase::kCreating);
    CreateResult created = CreateCache(functions_, control_.config);
    control_.status = created.status;
    control_.left_pointer = created.left_pointer;
    control_.changed_config = created.changed_config;
    CopyText(created.error, control_.text);
    cache_ = std::move(created.cache);
  }

  void DestroyCache() {
    Enter(Phase::kDestroying);
    cache_.reset();
    disturbance_.Forget();
  }

  // Reads the operations of the next step; returns where the one after it begins.
  const char* ReadStep(const char* at, const char* end) {
    step_ops_ = 0;
    do {
      if (ops_.size() == step_ops_) ops_.emplace_back();
      at = Decode(at, ops_[step_ops_++]);
    } while (at < end && ops_[0].kind == Operation::Kind::kPropose && PeekBatched(at));
    return at;
  }

  std::vector<Answer> Step() {
    control_.started.fetch_add(1, std::memory_order_relaxed);
    const absl::Span<const Operation> step = absl::MakeConstSpan(ops_).first(step_ops_);
    disturbance_.Before(step, control_.config);
    std::vector<Answer> answers = interpreter_.Step(*cache_, step);
    control_.started.fetch_add(step_ops_ - 1, std::memory_order_relaxed);
    return answers;
  }

  void RunOps() {
    if (cache_ == nullptr) return;
    Enter(Phase::kRunning);
    const char* const end = arena_.ops() + control_.ops_bytes;
    const char* at = arena_.ops() + control_.first_op;
    char* answer_at = arena_.answers();
    char* const answers_end = answer_at + Arena::kAnswersBytes;
    while (at < end && answer_at < arena_.answers() + kAnswersPauseBytes) {
      at = ReadStep(at, end);
      for (const Answer& answer : Step()) {
        // No draft is longer than a document, so this is out of reach.
        if (WireBytes(answer) > static_cast<size_t>(answers_end - answer_at)) std::abort();
        answer_at = Encode(answer, answer_at);
      }
      control_.answers_bytes.store(static_cast<size_t>(answer_at - arena_.answers()));
      control_.completed.fetch_add(step_ops_, std::memory_order_release);
    }
    control_.next_op.store(static_cast<size_t>(at - arena_.ops()));
  }

  void RepeatOps() {
    if (cache_ == nullptr) return;
    Enter(Phase::kRunning);
    const char* const end = arena_.ops() + control_.ops_bytes;
    for (uint64_t round = 0; round < control_.argument; ++round) {
      for (const char* at = arena_.ops(); at < end;) {
        at = ReadStep(at, end);
        Step();
      }
    }
  }

  void Sample() {
    const interpose::State& state = interpose::state;
    MemorySample& sample = control_.sample;
    sample.counted = state.present;
    sample.live_bytes = state.heap_bytes;
    if (state.resident_mapped_bytes != nullptr) {
      sample.live_bytes += state.resident_mapped_bytes();
    }
    sample.peak_bytes = state.peak_bytes;
    sample.mapped_bytes = state.mapped_bytes;
    sample.allocations = state.allocations;
    const interpose::Statm statm = interpose::ReadStatm();
    sample.private_bytes = statm.private_bytes - before_.private_bytes;
    sample.virtual_bytes = statm.virtual_bytes - before_.virtual_bytes;
  }

  Arena& arena_;
  Control& control_;
  CInterface functions_;
  Interpreter interpreter_;
  interpose::Statm before_;  // the first create
  Disturbance disturbance_;
  std::unique_ptr<CacheHandle> cache_;
  std::vector<Operation> ops_;  // of the step that runs; kept for their memory
  size_t step_ops_ = 0;
};

}  // namespace

void RunChild(Arena& arena, const CInterface& functions) noexcept {
  // Not destroyed: the fault handler may still look at it while the process exits.
  static Child& child = *new Child(arena, functions);
  child.Serve();
  std::exit(0);
}

}  // namespace lockstep
