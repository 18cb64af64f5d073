// Delays of what the actor and the rewarder do, so that the time an arm takes tells less of the arm to whoever sees
// when the next message leaves. [Hannun et al. 2019, "Robustness to timing attacks"]
//
// A role answers a step when the pull of the arm, or the reward, has come and the delay is over; one process that is
// actor and rewarder delays once, before it shares the reward. In batches that is once a batch: after all its pulls at
// an actor alone, else after all its rewards. As text:
//
//   uniform 0ms 50ms     a further time, uniform between the two
//   exponential 20ms     a further time, exponential with this mean (never above 30 means: what is
//                        longer, once in 10^13, is drawn again)
//   until 50ms           no further time: the answer leaves at the next multiple of 50 ms after the
//                        role was asked, 50 ms at the least
//
// Times are 1us to 1h, written 50us, 20ms or 1.5s. docs/privacy.md (timing) says what each hides: random delays wear
// off with the number of answers, `until` does not.
//
// Errors: InputError where a text or a deadline does not fit.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps::bandit::run {

struct AnswerDelay {
  enum class Kind { none, uniform, exponential, until };
  Kind kind = Kind::none;
  std::chrono::nanoseconds least{0};  // uniform: the shortest
  std::chrono::nanoseconds time{0};   // uniform: the longest; exponential: the mean; until: the step

  friend bool operator==(const AnswerDelay&, const AnswerDelay&) = default;
};

// An empty text is no delay. InputError starts with `where`.
[[nodiscard]] AnswerDelay parse_answer_delay(std::string_view text, const std::string& where);
// A text that parses to the same.
[[nodiscard]] std::string answer_delay_text(const AnswerDelay& delay);

// What a delay may add to the time that an arm itself takes.
[[nodiscard]] std::chrono::nanoseconds longest_delay(const AnswerDelay& delay);
// Throws InputError unless the longest delay is below the deadline, after which peers would take the role for lost.
void require_delay_within(const AnswerDelay& delay, double round_deadline_seconds, const std::string& where);

// What an exponential or uniform delay adds to one answer.
[[nodiscard]] std::chrono::nanoseconds draw_delay(const AnswerDelay& delay, Prg& coins);
// How long after it was asked a role answers that has taken `elapsed` so far.
[[nodiscard]] std::chrono::nanoseconds answer_after(const AnswerDelay& delay, std::chrono::nanoseconds elapsed,
                                                    Prg& coins);

}  // namespace sotto::apps::bandit::run
