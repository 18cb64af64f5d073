#include "sotto/apps/kit/process/progress_pipe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

namespace sotto::apps {
namespace {

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

void ProgressWriter::tell(std::uint64_t step, double average, std::uint64_t rounds) {
  const auto now = std::chrono::steady_clock::now();
  if (!descriptor_ || now < next_) return;
  next_ = now + between_lines;
  const std::string line = fmt::format("{} {} {}\n", step, average, rounds);
  if (::write(*descriptor_, line.data(), line.size()) < 0) return;
}

}  // namespace sotto::apps
