// A role's memory of the accounts of other roles: how far each account had come when the role last met it. The memory
// keeps a party from using an old copy of its account, by mistake or by fraud.
//
// A party charges a release first, and then says in the handshake how far its account has come (account.h). Every role
// writes that position down before it sends any message of the run. So each role of a run knows of everything opened in
// the run. If an account lost an entry or was used in two copies, every role that met the newer copy finds that. No
// role can find it if the account and all those roles are brought back to an old state together. An account with more
// new entries than it can name (AccountPosition::window) is refused too, because it may have lost an entry.
//
// The memory is one SQLite file of mode 0600. The role makes the file when it meets the first account.
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

// Compares the accounts with the memory and then writes them down. They are on the disk when the call returns. Nothing
// is written without accounts. Returns one line for each fact that the user of this role should know. Throws
// DisagreementError if an account is an old copy or was used in two copies. Throws InputError if the file is damaged,
// ResourceError as Database does (apps/kit/store/database.h).
std::vector<std::string> meet_accounts(const std::filesystem::path& file, std::span<const MetAccount> met);

}  // namespace sotto::apps
