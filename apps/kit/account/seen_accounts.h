// A role's memory of the accounts of other roles prevents a party from using an old copy of its account, by mistake or
// by fraud.
//
// A party first charges a release and then announces the position of its account in the handshake. Every role writes
// down the positions of all accounts before it sends any message of the run. If an account lost an entry, or if a party
// used two copies of it, every role that has stored the position of the newer copy finds the fault. No role finds the
// fault if the account and the memories of all these roles are restored from old backups together.
//
// A role also refuses an account with more than AccountPosition::window new entries, because the position then does not
// contain the last head that the role has seen.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/kit/account/position.h"

namespace sotto::apps {

struct SeenAccount {
  std::string role;  // "party 1"
  AccountPosition position;
};

// The positions in `met` are on the disk when the call returns. Throws DisagreementError if an account is an old copy
// or if two copies of it were used, and InputError if the file is damaged.
std::vector<std::string> check_seen_accounts(const std::filesystem::path& file, std::span<const SeenAccount> met);

}  // namespace sotto::apps
