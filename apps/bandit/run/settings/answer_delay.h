// Delays of the answers of the actor and the rewarder. The delays hide how long the pull of an arm takes, so that an
// observer of the next message learns less about the arm. [Hannun et al. 2019, "Robustness to timing attacks"]
//
// In each step a role answers as soon as it has pulled the arm, or has the reward, and the delay is over. A process
// that is both actor and rewarder delays once, before it shares the reward. In batches there is one delay per batch. At
// a process that is only the actor, the delay comes after all pulls of the batch. At all other processes, it comes
// after all rewards of the batch. As text:
//
//   uniform 0ms 50ms     an additional time, uniform between the two
//   exponential 20ms     an additional time, exponential with this mean (never above 30 means: a longer
//                        draw, once in 10^13, is repeated)
//   until 50ms           no additional time: the answer is sent at the next multiple of 50 ms after the
//                        request to the role, and at least 50 ms after it
//
// Times are 1us to 1h, written 50us, 20ms or 1.5s. docs/explain/privacy.md (timing) says what each kind of delay hides.
// The more answers there are, the less protection random delays give. The protection of `until` does not depend on the
// number of answers.
//
// Errors: InputError if a text or a deadline does not fit.
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

// An empty text means no delay. The text of an InputError starts with `where`.
[[nodiscard]] AnswerDelay parse_answer_delay(std::string_view text, const std::string& where);
// A text that parse_answer_delay() turns into `delay` again.
[[nodiscard]] std::string answer_delay_text(const AnswerDelay& delay);

// The longest time that a delay may add to the time of the pull or of the reward itself.
[[nodiscard]] std::chrono::nanoseconds longest_delay(const AnswerDelay& delay);
// Throws InputError unless the longest delay is below the deadline, because after the deadline peers would treat the
// role as lost.
void require_delay_within(const AnswerDelay& delay, double round_deadline_seconds, const std::string& where);

// The time that an exponential or uniform delay adds to one answer.
[[nodiscard]] std::chrono::nanoseconds draw_delay(const AnswerDelay& delay, Prg& coins);
// The time from the request to the answer, for a role that has already spent the time `elapsed` on the pull or the
// reward.
[[nodiscard]] std::chrono::nanoseconds answer_after(const AnswerDelay& delay, std::chrono::nanoseconds elapsed,
                                                    Prg& coins);

}  // namespace sotto::apps::bandit::run
