#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "apps/kit/account/account.h"
#include "apps/live/config/live_config.h"
#include "apps/live/roles/party.h"

namespace sotto::apps::live {

// The account is open, and therefore locked, from the first charge of a window until rest(). If the account cannot be
// opened or written, no subject can be charged, and no row goes into a window. When this begins, or when the reason
// changes, `warn` receives the reason. The role tries to open the account again every ten seconds.
//
// A file next to the role's store remembers the last known state of the account (apps/kit/account/seen_accounts.h). An
// old copy of the account is refused. `warn` is called if a different account has replaced the known account.
class WindowCharges final : public WindowAccount {
 public:
  // Opens the account of the config once, to check the account. Throws what Account throws.
  WindowCharges(const LiveConfig& config, std::function<void(const std::string&)> warn);

  [[nodiscard]] std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) override;
  void rest() override { account_.reset(); }
  [[nodiscard]] std::string trouble() const override { return trouble_; }

  static constexpr std::chrono::seconds between_tries{10};

 private:
  void open();
  void remember();
  [[nodiscard]] Release release_of(OrderNumber window) const;

  std::filesystem::path file_;
  std::string session_;
  double epsilon_;
  double budget_;
  std::uint64_t forget_after_;  // days
  std::function<void(const std::string&)> warn_;
  std::unique_ptr<Account> account_;
  OrderNumber window_ = 0;
  std::filesystem::path seen_;
  std::string role_;
  std::string trouble_;
  std::chrono::steady_clock::time_point try_again_{};
};

}  // namespace sotto::apps::live
