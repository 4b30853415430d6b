#include "props/harness/containment/fault_handler.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstring>
#include <iterator>

namespace lockstep {
namespace {

// A handler of its own stack, because a stack that overflowed has no room for one.
constexpr size_t kHandlerStackBytes = size_t{64} << 10;
// A fault this close to the stack pointer is the stack's.
constexpr uintptr_t kNearStackBytes = uintptr_t{64} << 10;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

Control* watched_control = nullptr;
struct sigaction earlier[std::size(kSignals)];  // what was to be done about each signal
const Interpreter* watched_interpreter = nullptr;

#if defined(__x86_64__)
bool IsWrite(const ucontext_t& context) { return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0; }
uintptr_t StackPointer(const ucontext_t& context) {
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
}
#else
bool IsWrite(const ucontext_t&) { return false; }
uintptr_t StackPointer(const ucontext_t&) { return 0; }
#endif

bool IsNear(uintptr_t a, uintptr_t b) { return (a > b ? a - b : b - a) < kNearStackBytes; }

const char* Where(const siginfo_t& info, const ucontext_t& context) {
  if (info.si_signo != SIGSEGV && info.si_signo != SIGBUS) return nullptr;
  if (const char* where = watched_interpreter->ExplainFault(info.si_addr)) return where;
  const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  if (IsNear(address, StackPointer(context))) return "the stack overflowed";
  if (address < 4096) return "at a null pointer";
  return nullptr;
}

// Only what is safe in a signal handler. When it returns the faulting instruction runs again and
// meets what was there before: the end of the process, or a handler of the implementation's own.
void OnFault(int signal, siginfo_t* info, void* raw_context) {
  const auto& context = *static_cast<const ucontext_t*>(raw_context);
  watched_control->fault_is_write = IsWrite(context);
  if (const char* where = Where(*info, context)) {
    std::strncpy(watched_control->fault_where, where, sizeof(watched_control->fault_where) - 1);
  }
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i] == signal) sigaction(signal, &earlier[i], nullptr);
  }
  if (info->si_code <= 0) raise(signal);  // sent by somebody: nothing would fault again
}

}  // namespace

void CatchFaults(Control& control, const Interpreter& interpreter) {
  watched_control = &control;
  watched_interpreter = &interpreter;
  void* const stack =
      mmap(nullptr, kHandlerStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return;  // faults then go undescribed
  stack_t handler_stack = {};
  handler_stack.ss_sp = stack;
  handler_stack.ss_size = kHandlerStackBytes;
  sigaltstack(&handler_stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &earlier[i]);
}

}  // namespace lockstep
