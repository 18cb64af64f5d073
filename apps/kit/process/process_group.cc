#include "sotto/apps/kit/process/process_group.h"

#include <poll.h>

#include <algorithm>
#include <csignal>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// Once one has failed, the others are told over their links and end by themselves.
constexpr std::chrono::milliseconds time_to_hear{3000};
constexpr std::chrono::milliseconds time_to_end{1500};  // after SIGTERM
constexpr int look_milliseconds = 50;

}  // namespace

void ProcessGroup::start(const std::string& name, const std::vector<std::string>& arguments,
                         const std::vector<int>& descriptors) {
  children_.push_back(std::make_unique<ChildProcess>(name, program_, arguments, descriptors));
}

void ProcessGroup::wait(const std::function<void()>& look, const std::function<int()>& wake) {
  while (!all_ended()) {
    sleep(wake());
    look();
    take_ends();
    end_what_lingers();
  }
  if (was_interrupted_) throw Interrupted();
  if (const std::optional<Error> cause = root_cause(ends_)) throw Error(*cause);
}

void ProcessGroup::sleep(int wake) {
  std::vector<pollfd> descriptors;
  for (const auto& child : children_) {
    if (!child->ended()) descriptors.push_back(pollfd{child->output(), POLLIN, 0});
  }
  if (wake >= 0) descriptors.push_back(pollfd{wake, POLLIN, 0});
  // Returns early on a signal, and when a child ends, since its output then closes.
  ::poll(descriptors.data(), descriptors.size(), look_milliseconds);
}

void ProcessGroup::take_ends() {
  for (const auto& child : children_) {
    if (!child->poll()) continue;
    const std::optional<int> by = child->ended_by_signal();
    ends_.push_back(RoleEnd{child->name(), child->exit_code(), by && child->was_signalled_here() ? std::nullopt : by,
                            child->message(), child->was_signalled_here()});
    if (!child->succeeded() && !failed_at_) failed_at_ = Clock::now();
  }
}

void ProcessGroup::end_what_lingers() {
  const Clock::time_point now = Clock::now();
  if (interrupted_ && !was_interrupted_) {
    was_interrupted_ = true;
    term_at_ = now;
  } else if (failed_at_ && !term_at_) {
    term_at_ = *failed_at_ + time_to_hear;
  }
  if (!term_at_ || now < *term_at_) return;
  const bool kill = now >= *term_at_ + time_to_end;
  if (!kill && asked_) return;
  asked_ = true;
  for (const auto& child : children_) child->signal(kill ? SIGKILL : SIGTERM);
}

bool ProcessGroup::all_ended() const {
  return std::all_of(children_.begin(), children_.end(), [](const auto& child) { return child->ended(); });
}

}  // namespace sotto::apps
