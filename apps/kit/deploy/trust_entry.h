// Enters a fingerprint into a role's config. Only one line of the [trust] or [next_trust] table changes. The rest of
// the config stays unchanged, comments and spacing included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "apps/kit/settings/program.h"

namespace sotto::apps {

// `present` is the table [trust], and `next` is the table [next_trust]. [next_trust] has a second fingerprint for a
// role, which is trusted in addition to the fingerprint in [trust].
enum class TrustTable : std::uint8_t { present, next };

struct TrustEntry {
  std::string text;                   // text of the whole config after the change
  std::optional<std::string> before;  // previous fingerprint of the role in the table
};

// `role`, such as "dealer" or "party_0", is a role of the run that the config describes. `file` names the config in
// errors. Throws InputError if the role or the fingerprint is invalid, if another role has that fingerprint, or if the
// program has no such table. Also throws InputError if the text is no TOML, or if the form of the table cannot be
// edited safely.
[[nodiscard]] TrustEntry enter_trust(const Keys& keys, const std::string& text, const std::string& file,
                                     const std::string& role, const std::string& fingerprint,
                                     TrustTable which = TrustTable::present);

// Does the same as enter_trust() for a config file, and replaces the file as a whole. The file keeps its permissions.
// The function does not write the file if nothing changes. Returns the previous fingerprint of the role. Throws
// ResourceError if the file cannot be written.
std::optional<std::string> write_trust(const Keys& keys, const std::filesystem::path& config, const std::string& role,
                                       const std::string& fingerprint, TrustTable which = TrustTable::present);

}  // namespace sotto::apps
