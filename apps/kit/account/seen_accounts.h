// The memory that a role has of the accounts of others: how far each account had come when the role met it last. It
// keeps a party from using an old copy of its account, by mistake or by fraud.
//
// A party charges a release first, and then says in the handshake how far its account has come (account.h). Every role
// writes that down before it sends anything of the run. So each role of a run knows of all that is opened in it. An
// account that lost an entry, or was used in two copies, is found by every role that met the newer copy. Nobody can
// tell where the account and all those roles are brought back to an old state together. An account with more new
// entries than it can name (AccountPosition::window) is refused as well: it may have lost one.
//
// The memory is one SQLite file of mode 0600. The role makes it when it meets the first account.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/kit/account/position.h"

namespace sotto::apps {

struct MetAccount {
  std::string role;  // "party 1"
  AccountPosition position;
};

// Compares and then writes down, on the disk when it returns; nothing is written without accounts. Returns what the
// user of this role should know, a line each. Throws DisagreementError where an account is an old copy or went on
// beside another copy, InputError where the file is damaged, ResourceError as Database does
// (apps/kit/store/database.h).
std::vector<std::string> meet_accounts(const std::filesystem::path& file, std::span<const MetAccount> met);

}  // namespace sotto::apps
