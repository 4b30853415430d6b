#include "bench/gate/noisy_neighbour.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <random>
#include <thread>

namespace lockstep::gate {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Disturb(unsigned seed, pid_t parent) {
  std::mt19937 random(seed);
  std::vector<uint64_t> memory(8 << 20);  // 64 MiB, more than the last level of cache
  while (getppid() == parent) {
    const auto until = Clock::now() + std::chrono::milliseconds(2 + random() % 40);
    while (Clock::now() < until) {
      for (int i = 0; i < 10000; ++i) memory[random() % memory.size()] += random();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 30));
  }
  _exit(0);
}

}  // namespace

NoisyNeighbour::NoisyNeighbour() {
  const pid_t self = getpid();
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid == 0) Disturb(i, self);
    if (pid > 0) pids_.push_back(pid);
  }
}

NoisyNeighbour::~NoisyNeighbour() {
  for (const pid_t pid : pids_) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

}  // namespace lockstep::gate
