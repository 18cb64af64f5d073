// The progress line of a run is redrawn at most ten times a second, and only on a terminal:
//
//   [====>     ]  47%  28,200/60,000  reward 0.812  24.6 K steps/s  172 K rounds/s  1.30 s left
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "apps/kit/process/process_group.h"

namespace sotto::apps {

struct ProgressState {
  std::uint64_t step = 0;
  std::uint64_t total_steps = 0;
  std::optional<double> average_reward{};  // absent without rewards
  std::uint64_t rounds = 0;                // since the start
  const char* unit = "steps";
};

class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  ProgressLine(std::ostream& out, bool terminal, std::size_t width = 80, Now now = Clock::now);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // While due() is false, callers need not collect the figures.
  [[nodiscard]] bool due() const;

  void update(const ProgressState& state);

  void clear();

 private:
  std::ostream& out_;
  bool terminal_;
  std::size_t width_;
  Now now_;
  bool drawn_ = false;
  bool started_ = false;
  Clock::time_point start_{};
  Clock::time_point last_drawn_{};
  ProgressState first_{};
};

[[nodiscard]] ProgressLine progress_on_terminal(bool quiet = false);

// The text has at most `width` columns.
std::string progress_text(const ProgressState& state, double seconds, std::uint64_t steps_since,
                          std::uint64_t rounds_since, std::size_t width);

bool is_terminal(int file_descriptor);
std::size_t terminal_width(int file_descriptor);

// A pipe for the lines "step average rounds", which a role's process writes for its launcher.
class ProgressPipe {
 public:
  [[nodiscard]] int writing_end() const { return pipe_.write.get(); }
  void close_writing_end() { pipe_.write.close(); }
  // The result is -1 once no process can write to the pipe any more.
  [[nodiscard]] int wake() const { return open_ ? pipe_.read.get() : -1; }

  [[nodiscard]] std::optional<ProgressState> take(std::uint64_t total_steps);

 private:
  Pipe pipe_;
  bool open_ = true;
  std::string text_;
};

// Writes at most ten lines a second, and drops a line that does not fit into the pipe.
class ProgressWriter {
 public:
  explicit ProgressWriter(std::optional<int> descriptor) : descriptor_(descriptor) {}
  void write(std::uint64_t step, double average, std::uint64_t rounds);

 private:
  std::optional<int> descriptor_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace sotto::apps
