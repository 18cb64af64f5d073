// Lines "step average rounds" from a role's process to the one that started it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sotto/apps/kit/process/child_process.h"
#include "sotto/apps/kit/process/progress.h"

namespace sotto::apps {

// The end that reads.
class ProgressPipe {
 public:
  [[nodiscard]] int writing_end() const { return pipe_.write.get(); }
  // Once the process that writes has been started.
  void close_writing_end() { pipe_.write.close(); }
  // What to wait on, or -1 once nobody writes any more.
  [[nodiscard]] int wake() const { return open_ ? pipe_.read.get() : -1; }

  // The last whole line that came since the last call, if any.
  [[nodiscard]] std::optional<ProgressState> take(std::uint64_t total_steps);

 private:
  Pipe pipe_;
  bool open_ = true;
  std::string text_;
};

// The end that writes, ten lines a second at most. A line that the pipe does not take is left out.
class ProgressWriter {
 public:
  // Says nothing without a descriptor.
  explicit ProgressWriter(std::optional<int> descriptor) : descriptor_(descriptor) {}
  void tell(std::uint64_t step, double average, std::uint64_t rounds);

 private:
  std::optional<int> descriptor_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace sotto::apps
