// The table `meta` of a store, in which it says of itself, name by name, whose it is: in clear, and all of that once
// more in `seal`, sealed for its place, so that no name can be changed without the key.
#pragma once

#include <string>
#include <string_view>

#include "apps/kit/store/database.h"
#include "apps/kit/store/seal.h"

namespace sotto::apps {

void put_meta(Database& database, std::string_view name, std::string_view text);
// Empty where there is none of that name.
[[nodiscard]] std::string take_meta(Database& database, std::string_view name);

// In place of the seal that there may be.
void put_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place);

// InputError where the store is another role's.
void require_role(Database& database, const std::string& role);
// InputError where the seal is not of that text, for that place, by that key of `role`.
void require_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place,
                  const std::string& role);

}  // namespace sotto::apps
