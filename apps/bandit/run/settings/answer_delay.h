// Delays of the answers of the actor and the rewarder. The delays hide how long the pull of an arm takes, so that an
// observer of the next message learns less about the arm [Hannun et al. 2019, "Robustness to timing attacks"].
//
// A role answers when its own work and the delay are over. If one process is both actor and rewarder, it delays once
// per step, before it shares the reward. In batches there is one delay per batch. A delay has one of these forms:
//   uniform 0ms 50ms     an additional time, uniform between the two times
//   exponential 20ms     an additional time, exponential with this mean. The role repeats a draw above 30 times the
//                        mean; such a draw has a probability of 10^-13
//   until 50ms           no additional time: the role answers at the next multiple of 50 ms after the request
//                        to the role, and at least 50 ms after the request
//
// A time is from 1us to 1h, written as 50us, 20ms or 1.5s. Random delays protect less, the more answers an observer
// sees. The protection of `until` does not depend on the number of answers (docs/explain/privacy.md, timing).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps::bandit::run {

struct AnswerDelay {
  enum class Kind { none, uniform, exponential, until };
  Kind kind = Kind::none;
  std::chrono::nanoseconds least{0};  // uniform: the shortest time
  std::chrono::nanoseconds time{0};   // uniform: the longest time; exponential: the mean; until: the interval

  friend bool operator==(const AnswerDelay&, const AnswerDelay&) = default;
};

// An empty text means no delay. Throws InputError, whose text starts with `where`, if the text is not a delay.
[[nodiscard]] AnswerDelay parse_answer_delay(std::string_view text, const std::string& where);
[[nodiscard]] std::string answer_delay_text(const AnswerDelay& delay);

[[nodiscard]] std::chrono::nanoseconds longest_delay(const AnswerDelay& delay);
// Throws InputError unless the longest delay is below the deadline. Peers treat a role that answers after the deadline
// as lost.
void require_delay_within(const AnswerDelay& delay, double round_deadline_seconds, const std::string& where);

// The delay must be exponential or uniform.
[[nodiscard]] std::chrono::nanoseconds draw_delay(const AnswerDelay& delay, Prg& coins);
// `elapsed` is the time since the request. Returns the time of the answer, also counted from the request.
[[nodiscard]] std::chrono::nanoseconds answer_after(const AnswerDelay& delay, std::chrono::nanoseconds elapsed,
                                                    Prg& coins);

}  // namespace sotto::apps::bandit::run
