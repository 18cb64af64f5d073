// The progress line of a run: one line on a terminal, redrawn at most ten times a second, nothing at all elsewhere.
//
//   [====>     ]  47%  28,200/60,000  reward 0.812  24.6 K steps/s  172 K rounds/s  1.30 s left
//
// The clock and the stream are given by the caller, so that tests need neither time nor a terminal.
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
  std::optional<double> average_reward{};  // of a role that gets the rewards
  std::uint64_t rounds = 0;                // since the start
  const char* unit = "steps";              // what is counted
};

class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  // Draws on `out` if `terminal`, else never writes. `width` is the terminal's number of columns.
  ProgressLine(std::ostream& out, bool terminal, std::size_t width = 80, Now now = Clock::now);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // True if an update would be drawn now: callers may skip collecting the figures otherwise.
  [[nodiscard]] bool due() const;

  // Draws if due. The first update starts the clock of the rates.
  void update(const ProgressState& state);

  // Clears the line; later updates draw it again. The destructor does the same.
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

// On stderr, where that is a terminal and `quiet` is not set.
[[nodiscard]] ProgressLine progress_on_terminal(bool quiet = false);

// The line's text, without control characters, at most `width` columns: the bar takes what is left
// over, and where that is not enough the step count goes, then the line is cut.
std::string progress_text(const ProgressState& state, double seconds, std::uint64_t steps_since,
                          std::uint64_t rounds_since, std::size_t width);

// The width is 80 where it cannot be asked.
bool is_terminal(int file_descriptor);
std::size_t terminal_width(int file_descriptor);

// Lines "step average rounds" from a role's process to the one that started it: the end that reads.
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

// The end that writes them, ten lines a second at most. A line that the pipe does not take is left out.
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
