// Users in a CSV file, `sotto-lab simulate --users FILE`: a header line with the columns user, t, one a feature, and
// reward_0, reward_1, ... one an arm; a row for each step of each user. Columns may stand in any order; rows too: a
// user's steps are played in the order of t, users are numbered as they first appear.
//
// The column user may hold any text; users whose texts differ are different users.
//
// Rewards outside [0, 1] are clipped and counted, features below 0 count as 0 and are counted; each context is scaled
// to sum 1. Errors are InputError with file:line:column: a missing column, no feature, fewer than 2 arms, fewer users
// than `fewest_users`, and a user's t that is there twice.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sotto/apps/p2b/world.h"

namespace sotto::apps {

struct UsersFile {
  std::shared_ptr<const TableWorld> world;
  std::vector<std::string> user_names;  // what the column user has, of each user
  std::uint64_t rows = 0;
  std::uint64_t rewards_clipped = 0;
  std::uint64_t features_clipped = 0;
};

[[nodiscard]] UsersFile read_users(const std::filesystem::path& path, std::size_t fewest_users = 2);

}  // namespace sotto::apps
