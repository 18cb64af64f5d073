#include "apps/live/serve/window_charges.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "apps/kit/account/seen_accounts.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

constexpr std::int64_t seconds_a_day = 24 * 3600;
constexpr std::size_t id_digits = 32;

}  // namespace

WindowCharges::WindowCharges(const LiveConfig& config, std::function<void(const std::string&)> warn)
    : file_(config.account),
      session_(config.session),
      epsilon_(config.live.agreement_epsilon),
      budget_(config.budget),
      forget_after_(config.forget_after),
      warn_(std::move(warn)),
      seen_(config.state / "account.seen"),
      role_(config.name()) {
  open();
  rest();
}

void WindowCharges::open() {
  if (!account_) {
    account_ = std::make_unique<Account>(file_);
    remember();
  }
  if (forget_after_ > 0) {
    account_->count_from(std::time(nullptr) - static_cast<std::int64_t>(forget_after_) * seconds_a_day);
  }
}

void WindowCharges::remember() {
  const SeenAccount own{role_, account_->position()};
  for (const std::string& line : check_seen_accounts(seen_, std::span(&own, 1))) warn_(line);
}

Release WindowCharges::release_of(OrderNumber window) const {
  Release release;
  release.id = hex(sha256(fmt::format("window {} of session {}", window, session_))).substr(0, id_digits);
  release.receiver = "the actor of service " + session_.substr(0, 8);
  release.about = window > last_number ? fmt::format("lift over the baseline arm, window {}", window - last_number)
                                       : fmt::format("agreement with the model, window from number {}", window);
  release.epsilon = epsilon_;
  return release;
}

std::vector<bool> WindowCharges::charge(OrderNumber window, std::span<const std::string> subjects) {
  std::vector<bool> held(subjects.size(), false);
  if (!trouble_.empty() && std::chrono::steady_clock::now() < try_again_) return held;
  try {
    open();
    std::vector<SubjectKey> keys;
    keys.reserve(subjects.size());
    for (const std::string& subject : subjects) keys.push_back(account_->key_of(subject));
    held = account_->hold(release_of(window), keys, budget_, std::time(nullptr));
    // When a new window begins, the account gets a new entry, so the role remembers the account's new state.
    if (std::exchange(window_, window) != window) remember();
    trouble_.clear();
  } catch (const Error& error) {
    account_.reset();
    if (std::exchange(trouble_, error.what()) != error.what()) {
      warn_("nobody is charged for the window of agreement, so no row goes into it: " + trouble_);
    }
    try_again_ = std::chrono::steady_clock::now() + between_tries;
  }
  return held;
}

}  // namespace sotto::apps::live
