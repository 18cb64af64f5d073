// Entering a fingerprint into a role's config: one line of its [trust] or [next_trust] table changes, and everything
// else, comments and spacing included, stays as it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "apps/kit/settings/program.h"

namespace sotto::apps {

// [trust], or [next_trust]: a second certificate of the role, which is trusted beside the first.
enum class TrustTable : std::uint8_t { present, next };

struct TrustEntry {
  std::string text;                   // of the whole config, after the change
  std::optional<std::string> before;  // what that table had for the role until now
};

// `role`, such as "dealer" or "party_0", is a role of the run that the config describes. `file` names the config in
// errors. Throws InputError if the role or the fingerprint is none, if another role has that fingerprint, if the
// program has no such table, or if the text is not TOML or writes the table in a way that cannot be edited safely.
[[nodiscard]] TrustEntry enter_trust(const Keys& keys, const std::string& text, const std::string& file,
                                     const std::string& role, const std::string& fingerprint,
                                     TrustTable which = TrustTable::present);

// The same in a file, which is replaced as a whole and keeps its permissions; it is left alone where nothing changes.
// Returns what was there before. Throws ResourceError if it cannot be written.
std::optional<std::string> write_trust(const Keys& keys, const std::filesystem::path& config, const std::string& role,
                                       const std::string& fingerprint, TrustTable which = TrustTable::present);

}  // namespace sotto::apps
