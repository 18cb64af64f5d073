// Enters a fingerprint into a role's config. enter_trust() changes only one line of the [trust] or [next_trust] table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "apps/kit/settings/program.h"

namespace sotto::apps {

// The table [next_trust] lists second fingerprints of roles. A role trusts a peer that shows either fingerprint.
enum class TrustTable : std::uint8_t { present, next };

struct TrustEntry {
  std::string text;                   // the new config
  std::optional<std::string> before;  // the previous fingerprint
};

// Throws InputError if the role or the fingerprint is invalid, if another role has that fingerprint, or if the program
// has no such table. Also throws InputError if the text is no TOML, or if the form of the table cannot be edited
// safely.
[[nodiscard]] TrustEntry enter_trust(const Keys& keys, const std::string& text, const std::string& file,
                                     const std::string& role, const std::string& fingerprint,
                                     TrustTable which = TrustTable::present);

// Replaces the file as a whole and keeps its permissions. Throws ResourceError if the file cannot be written.
std::optional<std::string> write_trust(const Keys& keys, const std::filesystem::path& config, const std::string& role,
                                       const std::string& fingerprint, TrustTable which = TrustTable::present);

}  // namespace sotto::apps
