// The harness's side of a contained cache.

#include "props/harness/contained.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/containment/arena.h"
#include "props/harness/containment/child_watch.h"
#include "props/harness/containment/wire.h"
#include "props/harness/containment/zygote.h"

namespace lockstep {
namespace {

// Operations are handed over in pieces of about this size, so that memory stays bounded.
constexpr size_t kPieceBytes = size_t{4} << 20;

class Contained : public ContainedCache {
 public:
  Contained(std::shared_ptr<ZygoteHandle> zygote, std::unique_ptr<Arena> arena,
            const ContainedOptions& options)
      : zygote_(std::move(zygote)),
        arena_(std::move(arena)),
        control_(arena_->control()),
        watch_(control_, options, [this] { return zygote_->IsAlive(); }) {
    control_.interpreter = options.interpreter;
    control_.surroundings = options.surroundings;
    control_.live_bytes_limit = options.live_bytes_limit;
  }

  ~Contained() override {
    if (!control_.ended.load()) zygote_->EndChild(child_);
  }

  absl::Status Start(const CacheConfig& config) {
    control_.config = config;
    control_.command = Command::kCreate;
    control_.asked.store(1);
    absl::StatusOr<uint64_t> child = zygote_->StartChild(*arena_);
    if (!child.ok()) return child.status();
    child_ = *child;
    Await();
    if (control_.pid.load() == 0) {
      return absl::InternalError("cannot start a child process: no process or memory is left");
    }
    name_ = control_.name;
    ReadCreated();
    return absl::OkStatus();
  }

  lockstep_status create_status() const override { return status_; }
  const std::string& create_error() const override { return error_; }
  bool create_left_pointer() const override { return left_pointer_; }
  bool create_changed_config() const override { return changed_config_; }
  const ChildEnd& end() const override { return end_; }
  bool has_batch() const override { return control_.has_batch; }
  const std::string& impl_name() const override { return name_; }

  std::vector<Answer> Run(absl::Span<const Operation> ops) override {
    std::vector<Answer> answers;
    if (status_ != LOCKSTEP_OK) return answers;
    answers.reserve(ops.size());
    while (answers.size() < ops.size() && lives_) {
      const absl::Span<const Operation> left = ops.subspan(answers.size());
      RunPiece(left.first(Pack(left)), answers);
    }
    return answers;
  }

  bool Repeat(absl::Span<const Operation> ops, uint64_t times) override {
    if (status_ != LOCKSTEP_OK || !lives_) return false;
    ops_bytes_ = 0;
    for (const Operation& op : ops) Put(op);
    control_.argument = times;
    control_.ops_bytes = ops_bytes_;
    control_.started.store(0);
    piece_ = ops;
    const bool done = Do(Command::kRepeat);
    piece_ = {};
    if (done) ops_done_ += ops.size() * times;
    arena_->Trim(ops_bytes_, 0);
    return done;
  }

  MemorySample Memory() override {
    if (lives_) Do(Command::kSample);
    return control_.sample;
  }

  void FailAllocation(uint64_t n) override {
    control_.argument = n;
    if (lives_) Do(Command::kFailAllocation);
  }

  bool Destroy() override { return lives_ && Do(Command::kDestroy); }

  lockstep_status Recreate(const CacheConfig& config) override {
    control_.config = config;
    if (lives_) Do(Command::kCreate);
    ReadCreated();
    return status_;
  }

  const ChildEnd& Finish() override {
    if (!lives_) return end_;
    Do(Command::kFinish);
    return end_;
  }

 private:
  void Put(const Operation& op) {
    if (WireBytes(op) > Arena::kOpsBytes - ops_bytes_) {
      throw std::length_error("an operation is too long to be handed to a child process");
    }
    Encode(op, arena_->ops() + ops_bytes_);
    ops_bytes_ += WireBytes(op);
  }

  // Writes as many operations as make a piece, never parting a batch; returns how many.
  size_t Pack(absl::Span<const Operation> ops) {
    ops_bytes_ = 0;
    size_t packed = 0;
    while (packed < ops.size() && ops_bytes_ < kPieceBytes) {
      const size_t step = Interpreter::StepLength(ops.subspan(packed));
      for (const Operation& op : ops.subspan(packed, step)) Put(op);
      packed += step;
    }
    return packed;
  }

  // Runs what was packed and appends the answers, which may be fewer.
  void RunPiece(absl::Span<const Operation> ops, std::vector<Answer>& answers) {
    control_.next_op.store(0);
    control_.ops_bytes = ops_bytes_;
    size_t answers_bytes = 0;
    for (size_t done = 0; done < ops.size() && lives_;) {
      control_.first_op = control_.next_op.load();
      control_.started.store(0);
      control_.completed.store(0);
      control_.answers_bytes.store(0);
      piece_ = ops.subspan(done);
      Do(Command::kRun);
      const char* at = arena_->answers();
      const uint64_t completed = control_.completed.load(std::memory_order_acquire);
      for (uint64_t i = 0; i < completed; ++i) at = Decode(at, answers.emplace_back());
      answers_bytes = std::max(answers_bytes, static_cast<size_t>(at - arena_->answers()));
      done += completed;
      ops_done_ += completed;
    }
    piece_ = {};
    arena_->Trim(ops_bytes_, answers_bytes);
  }

  // Has the child do it; false when it came to its end instead.
  bool Do(Command command) {
    control_.command = command;
    control_.asked.fetch_add(1, std::memory_order_release);
    Ring(control_.bell);
    return Await();
  }

  bool Await() {
    lives_ = watch_.Await(piece_, [this] { zygote_->EndChild(child_); });
    if (lives_) return true;
    end_ = watch_.Describe(piece_);
    end_.op_index = ops_done_ + watch_.ops_into();
    return false;
  }

  void ReadCreated() {
    if (!lives_) {
      status_ = LOCKSTEP_INTERNAL;
      error_ = end_.what;
      return;
    }
    status_ = control_.status;
    error_ = control_.text;
    left_pointer_ = control_.left_pointer;
    changed_config_ = control_.changed_config;
  }

  std::shared_ptr<ZygoteHandle> zygote_;
  std::unique_ptr<Arena> arena_;
  Control& control_;
  ChildWatch watch_;
  uint64_t child_ = 0;
  bool lives_ = true;
  ChildEnd end_;
  lockstep_status status_ = LOCKSTEP_OK;
  std::string error_;
  bool left_pointer_ = false;
  bool changed_config_ = false;
  std::string name_;
  absl::Span<const Operation> piece_;  // what the child is running
  size_t ops_bytes_ = 0;
  uint64_t ops_done_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ContainedCache>> StartContained(const ImplementationSpec& spec,
                                                               const CacheConfig& config,
                                                               const ContainedOptions& options) {
  absl::StatusOr<std::shared_ptr<ZygoteHandle>> zygote =
      ZygoteHandle::Get(spec.library, options.surroundings);
  if (!zygote.ok()) return zygote.status();
  absl::StatusOr<std::unique_ptr<Arena>> arena = Arena::Make();
  if (!arena.ok()) return arena.status();
  auto cache = std::make_unique<Contained>(*std::move(zygote), *std::move(arena), options);
  if (absl::Status status = cache->Start(config); !status.ok()) return status;
  return cache;
}

absl::StatusOr<std::string> ImplementationName(const ImplementationSpec& spec) {
  // The name is asked for before create is, whatever comes of that.
  const auto cache = StartContained(spec, {}, {});
  if (!cache.ok()) return cache.status();
  return (*cache)->impl_name();
}

}  // namespace lockstep
