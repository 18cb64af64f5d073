// A role's memory of the accounts of other roles: the number of entries and the last head of each account at the last
// meeting. The memory keeps a party from using an old copy of its account, by mistake or by fraud.
//
// A party first charges a release and then announces the position of its account in the handshake (account.h). Every
// role writes down the positions of all accounts of the run before it sends any message of the run. Each role of a run
// therefore knows of every release of the run. If an account lost an entry, or if two copies of it were used, every
// role that met the newer copy finds the fault. No role can find the fault if the account and the memories of all these
// roles are restored from old backups together. A position names the heads of at most AccountPosition::window entries.
// An account with more new entries than AccountPosition::window is refused too, because such an account may have lost
// an entry.
//
// The memory is one SQLite file of mode 0600. The role makes the file when it meets the first account.
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

// Compares the accounts in `met` with the memory and then writes their positions into the memory. The positions are on
// the disk when the call returns. If `met` is empty, the function writes nothing. Returns one line for each fact that
// the user of this role should know. Throws DisagreementError if an account is an old copy, or if two copies of it were
// used. Throws InputError if the file is damaged, and ResourceError in the same cases as Database
// (apps/kit/store/database.h).
std::vector<std::string> check_seen_accounts(const std::filesystem::path& file, std::span<const SeenAccount> met);

}  // namespace sotto::apps
