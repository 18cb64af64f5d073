// The progress line of a run. On a terminal the progress is one line, which is redrawn at most ten times a second. If
// the output is no terminal, nothing is written.
//
//   [====>     ]  47%  28,200/60,000  reward 0.812  24.6 K steps/s  172 K rounds/s  1.30 s left
//
// The caller provides the clock and the stream, so that tests need neither time nor a terminal.
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
  std::optional<double> average_reward{};  // set only at a role that receives the rewards
  std::uint64_t rounds = 0;                // number of rounds since the start
  const char* unit = "steps";              // the unit of `step`
};

class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  // Draws on `out` if `terminal` is true; without a terminal, ProgressLine writes nothing. `width` is the number of
  // columns of the terminal.
  ProgressLine(std::ostream& out, bool terminal, std::size_t width = 80, Now now = Clock::now);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // True if update() would draw now. While due() is false, callers may skip collecting the figures.
  [[nodiscard]] bool due() const;

  // Draws the line if an update is due. Rates are measured from the first update on.
  void update(const ProgressState& state);

  // Clears the line. A later update draws the line again. The destructor also clears the line.
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

// A progress line on stderr, which draws only if stderr is a terminal and `quiet` is false.
[[nodiscard]] ProgressLine progress_on_terminal(bool quiet = false);

// The text of the progress line, without control characters and with at most `width` columns. The bar gets the columns
// that the figures leave free. If the figures need more than `width` columns, the step count is left out. A line that
// is still too long is cut.
std::string progress_text(const ProgressState& state, double seconds, std::uint64_t steps_since,
                          std::uint64_t rounds_since, std::size_t width);

// is_terminal() and terminal_width() ask the system. The width is 80 if the system does not know the width.
bool is_terminal(int file_descriptor);
std::size_t terminal_width(int file_descriptor);

// The reading end of a pipe with lines "step average rounds". A role's process writes these lines for the process that
// started the role.
class ProgressPipe {
 public:
  [[nodiscard]] int writing_end() const { return pipe_.write.get(); }
  // Call close_writing_end() once the writing process has been started.
  void close_writing_end() { pipe_.write.close(); }
  // The descriptor on which the reader waits, or -1 once no process can write to the pipe any more.
  [[nodiscard]] int wake() const { return open_ ? pipe_.read.get() : -1; }

  // The latest whole line that has arrived since the last call, or nothing.
  [[nodiscard]] std::optional<ProgressState> take(std::uint64_t total_steps);

 private:
  Pipe pipe_;
  bool open_ = true;
  std::string text_;
};

// The writing end of a progress pipe. The writer writes at most ten lines a second. A line that does not fit into the
// pipe is dropped.
class ProgressWriter {
 public:
  // A ProgressWriter without a descriptor writes nothing.
  explicit ProgressWriter(std::optional<int> descriptor) : descriptor_(descriptor) {}
  void tell(std::uint64_t step, double average, std::uint64_t rounds);

 private:
  std::optional<int> descriptor_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace sotto::apps
