// Enters a fingerprint into a role's config. One line of its [trust] or [next_trust] table changes. Everything else
// stays unchanged, comments and spacing included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "apps/kit/settings/program.h"

namespace sotto::apps {

// The table [trust], or the table [next_trust]. The latter has a second certificate of the role, which is trusted in
// addition to the first.
enum class TrustTable : std::uint8_t { present, next };

struct TrustEntry {
  std::string text;                   // text of the whole config after the change
  std::optional<std::string> before;  // the table's previous fingerprint of the role
};

// `role`, such as "dealer" or "party_0", is a role of the run that the config describes. `file` names the config in
// errors. Throws InputError if the role or the fingerprint is invalid, if another role has that fingerprint, or if the
// program has no such table. Throws InputError too if the text is no TOML, or writes the table in a way that cannot be
// edited safely.
[[nodiscard]] TrustEntry enter_trust(const Keys& keys, const std::string& text, const std::string& file,
                                     const std::string& role, const std::string& fingerprint,
                                     TrustTable which = TrustTable::present);

// Does the same as enter_trust() for a file, and replaces the file as a whole. The file keeps its permissions, and is
// not written if nothing changes. Returns the previous fingerprint. Throws ResourceError if the file cannot be written.
std::optional<std::string> write_trust(const Keys& keys, const std::filesystem::path& config, const std::string& role,
                                       const std::string& fingerprint, TrustTable which = TrustTable::present);

}  // namespace sotto::apps
