// What a role remembers of the accounts of others: how far each had come when it met it last. So no party can go on
// with an old copy of its account, by mistake or by fraud, unless the roles that it meets forget as well.
//
// A party counts a release before it says in a handshake how far its account has come (account.h), and every role
// writes that down before it sends anything of the run. Whatever is opened then is known to all roles of the run. So an
// account that lost an entry, or went on beside another copy of itself, is found by every role that has met the newer
// one. Where it and all those roles are brought back to an old state together, nobody can tell. An account that came on
// by more entries than it tells of since they met is refused too: nobody could say that it lost none.
//
// On the disk: one SQLite file of mode 0600 of the role's own, made when it is needed first.
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
