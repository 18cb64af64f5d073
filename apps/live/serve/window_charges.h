// The account of a party as the windows of agreement of its service charge it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apps/kit/account/account.h"
#include "apps/live/config/live_config.h"
#include "apps/live/roles/party.h"

namespace sotto::apps::live {

// The account is open, and so is locked, from the first charge of a window on until rest(). Where it cannot be opened
// or written, nobody can be charged, and no row goes into a window: `warn` is told why, once as long as that lasts.
class WindowCharges final : public WindowAccount {
 public:
  // Opens the account of the config once. Throws as Account does.
  WindowCharges(const LiveConfig& config, std::function<void(const std::string&)> warn);

  [[nodiscard]] std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) override;
  void rest() override { account_.reset(); }

 private:
  void open();
  [[nodiscard]] Release release_of(OrderNumber window) const;

  std::filesystem::path file_;
  std::string session_;
  double epsilon_;
  double budget_;
  std::uint64_t forget_after_;  // days
  std::function<void(const std::string&)> warn_;
  std::unique_ptr<Account> account_;
  std::string warned_;
};

}  // namespace sotto::apps::live
