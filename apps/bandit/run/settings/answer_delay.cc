#include "apps/bandit/run/settings/answer_delay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

using std::chrono::nanoseconds;

struct TimeUnit {
  std::string_view name;
  double size;  // size of the unit in nanoseconds
};
constexpr std::array<TimeUnit, 3> units{{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
constexpr double shortest = 1e3;
constexpr double longest = 3600e9;

constexpr int most_means = 30;  // longest exponential delay, as a multiple of the mean

[[noreturn]] void refuse(std::string_view text, const std::string& where) {
  throw InputError(where, fmt::format("'{}' is no delay of answers: expected \"uniform 0ms 50ms\", \"exponential "
                                      "20ms\" or \"until 50ms\", times from 1us to 3600s",
                                      text));
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<nanoseconds> time_of(std::string_view word) {
  double number = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || std::signbit(number)) return std::nullopt;
  const std::string_view name = word.substr(static_cast<std::size_t>(stop - word.data()));
  for (const TimeUnit& unit : units) {
    if (name == unit.name && number * unit.size <= longest) {
      return nanoseconds(std::llround(number * unit.size));
    }
  }
  return std::nullopt;
}

std::string time_text(nanoseconds time) {
  const auto value = static_cast<double>(time.count());
  std::size_t i = units.size() - 1;
  while (i > 0 && value < units[i].size) --i;
  return fmt::format("{}{}", value / units[i].size, units[i].name);
}

double seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// Returns a number in (0, 1].
double unit_draw(Prg& coins) { return std::ldexp(static_cast<double>((coins.next() >> 11) + 1), -53); }

}  // namespace

AnswerDelay parse_answer_delay(std::string_view text, const std::string& where) {
  const std::vector<std::string_view> words = words_of(text);
  if (text.empty()) return {};
  AnswerDelay delay;
  if (words.size() == 3 && words[0] == "uniform") {
    delay.kind = AnswerDelay::Kind::uniform;
  } else if (words.size() == 2 && words[0] == "exponential") {
    delay.kind = AnswerDelay::Kind::exponential;
  } else if (words.size() == 2 && words[0] == "until") {
    delay.kind = AnswerDelay::Kind::until;
  } else {
    refuse(text, where);
  }
  const std::optional<nanoseconds> time = time_of(words.back());
  const std::optional<nanoseconds> least = words.size() == 3 ? time_of(words[1]) : std::optional(nanoseconds(0));
  if (!time || !least || static_cast<double>(time->count()) < shortest || *least >= *time) {
    refuse(text, where);
  }
  delay.time = *time;
  delay.least = *least;
  return delay;
}

std::string answer_delay_text(const AnswerDelay& delay) {
  switch (delay.kind) {
    case AnswerDelay::Kind::uniform:
      return "uniform " + time_text(delay.least) + " " + time_text(delay.time);
    case AnswerDelay::Kind::exponential:
      return "exponential " + time_text(delay.time);
    case AnswerDelay::Kind::until:
      return "until " + time_text(delay.time);
    case AnswerDelay::Kind::none:
      break;
  }
  return {};
}

nanoseconds longest_delay(const AnswerDelay& delay) {
  return delay.kind == AnswerDelay::Kind::exponential ? most_means * delay.time : delay.time;
}

void require_delay_within(const AnswerDelay& delay, double round_deadline_seconds, const std::string& where) {
  if (delay.kind == AnswerDelay::Kind::none) return;
  if (seconds(longest_delay(delay)) < round_deadline_seconds) return;
  throw InputError(where, fmt::format("'{}' may take {:g} s, but whoever is silent for round_deadline_seconds = {:g} "
                                      "is taken for lost: shorten the delay, or raise the deadline at all roles",
                                      answer_delay_text(delay), seconds(longest_delay(delay)), round_deadline_seconds));
}

nanoseconds draw_delay(const AnswerDelay& delay, Prg& coins) {
  if (delay.kind == AnswerDelay::Kind::uniform) {
    const auto width = static_cast<std::uint64_t>((delay.time - delay.least).count());
    return delay.least + nanoseconds(coins.below(width + 1));
  }
  if (delay.kind != AnswerDelay::Kind::exponential) return nanoseconds(0);
  double means = most_means;
  while (means >= most_means) means = -std::log(unit_draw(coins));
  return nanoseconds(std::llround(means * static_cast<double>(delay.time.count())));
}

nanoseconds answer_after(const AnswerDelay& delay, nanoseconds elapsed, Prg& coins) {
  if (delay.kind != AnswerDelay::Kind::until) return elapsed + draw_delay(delay, coins);
  return (elapsed / delay.time + 1) * delay.time;
}

}  // namespace sotto::apps::bandit::run
