#include "apps/kit/process/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <string_view>
#include <utility>

#include "apps/kit/report/human.h"

namespace sotto::apps {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr std::size_t largest_bar = 24;

std::string bar(double fraction, std::size_t room) {
  constexpr std::size_t smallest = 14;
  if (room < smallest) return "";
  const std::size_t width = std::min(largest_bar, room - 4);
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(width));
  std::string text(filled, '=');
  if (filled < width) text += '>';
  text.resize(width, ' ');
  return "[" + text + "]  ";
}

std::string rate(double per_second) {
  if (per_second < 999.5) return fmt::format("{:.0f}", per_second);
  const bool thousands = per_second < 999.5e3;
  return fmt::format("{} {}", scaled_figure(per_second / (thousands ? 1e3 : 1e6)), thousands ? 'K' : 'M');
}

constexpr std::chrono::milliseconds between_lines{100};

std::optional<ProgressState> parse(std::string_view line, std::uint64_t total_steps) {
  ProgressState state;
  state.total_steps = total_steps;
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto take = [&](auto& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    at = stop == end ? end : stop + 1;
    return error == std::errc{};
  };
  if (take(state.step) && take(state.average_reward.emplace()) && take(state.rounds)) return state;
  return std::nullopt;
}

}  // namespace

ProgressLine::ProgressLine(std::ostream& out, bool terminal, std::size_t width, Now now)
    : out_(out), terminal_(terminal), width_(width), now_(std::move(now)) {}

ProgressLine::~ProgressLine() {
  try {
    clear();
  } catch (...) {
  }
}

bool ProgressLine::due() const { return terminal_ && (!drawn_ || now_() - last_drawn_ >= redraw_interval); }

void ProgressLine::update(const ProgressState& state) {
  if (!due()) return;
  const Clock::time_point now = now_();
  if (!started_) {
    started_ = true;
    start_ = now;
    first_ = state;
  }
  const double seconds = std::chrono::duration<double>(now - start_).count();
  out_ << '\r'
       << progress_text(state, seconds, state.step - first_.step, state.rounds - first_.rounds,
                        width_ == 0 ? 0 : width_ - 1)
       << "\x1b[K" << std::flush;
  drawn_ = true;
  last_drawn_ = now;
}

void ProgressLine::clear() {
  if (!drawn_) return;
  out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

std::string progress_text(const ProgressState& state, double seconds, std::uint64_t steps_since,
                          std::uint64_t rounds_since, std::size_t width) {
  const auto step = static_cast<double>(state.step);
  const auto total = static_cast<double>(std::max<std::uint64_t>(state.total_steps, 1));
  const double fraction = std::min(1.0, step / total);
  const std::string percent = fmt::format("{:3.0f}%", 100 * fraction);
  const std::string count = fmt::format("  {}/{}", human_count(step), human_count(total));
  std::string rest = state.average_reward ? fmt::format("  reward {:.3f}", *state.average_reward) : "";
  if (seconds > 0 && steps_since > 0) {
    const double steps_a_second = static_cast<double>(steps_since) / seconds;
    rest += fmt::format("  {} {}/s", rate(steps_a_second), state.unit);
    if (rounds_since > 0) {
      rest += fmt::format("  {} rounds/s", rate(static_cast<double>(rounds_since) / seconds));
    }
    rest += fmt::format("  {} left", human_seconds((total - std::min(step, total)) / steps_a_second));
  }
  std::string text = percent + (percent.size() + count.size() + rest.size() <= width ? count : "") + rest;
  if (text.size() < width) text = bar(fraction, width - text.size()) + text;
  if (text.size() > width) text.resize(width);
  return text;
}

bool is_terminal(int file_descriptor) { return isatty(file_descriptor) == 1; }

std::size_t terminal_width(int file_descriptor) {
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

ProgressLine progress_on_terminal(bool quiet) {
  return {std::cerr, !quiet && is_terminal(STDERR_FILENO), terminal_width(STDERR_FILENO)};
}

std::optional<ProgressState> ProgressPipe::take(std::uint64_t total_steps) {
  char buffer[4096];
  while (open_) {
    const ssize_t bytes = ::read(pipe_.read.get(), buffer, sizeof buffer);
    if (bytes == 0) open_ = false;
    if (bytes <= 0) break;
    text_.append(buffer, static_cast<std::size_t>(bytes));
  }
  const std::size_t end = text_.rfind('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::size_t before = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::string line = text_.substr(begin, end - begin);
  text_.erase(0, end + 1);
  return parse(line, total_steps);
}

void ProgressWriter::write(std::uint64_t step, double average, std::uint64_t rounds) {
  const auto now = std::chrono::steady_clock::now();
  if (!descriptor_ || now < next_) return;
  next_ = now + between_lines;
  const std::string line = fmt::format("{} {} {}\n", step, average, rounds);
  if (::write(*descriptor_, line.data(), line.size()) < 0) return;
}

}  // namespace sotto::apps
