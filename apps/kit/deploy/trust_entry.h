// Entering a fingerprint into a role's config: one line of its [trust] table changes, and everything else, comments and
// spacing included, stays as it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sotto/apps/kit/settings/program.h"

namespace sotto::apps {

struct TrustEntry {
  std::string text;                   // of the whole config, after the change
  std::optional<std::string> before;  // what was trusted for that role until now
};

// `role`, such as "dealer" or "party_0", is a role of the run that the config describes. `file` names the config in errors. Throws InputError if the role or the
// fingerprint is none, if another role has that fingerprint, or if the text is not TOML or writes [trust] in a way that
// cannot be edited safely.
[[nodiscard]] TrustEntry enter_trust(const Keys& keys, const std::string& text, const std::string& file,
                                     const std::string& role, const std::string& fingerprint);

// The same in a file, which is replaced as a whole and keeps its permissions; it is left alone where nothing changes.
// Returns what was trusted before. Throws ResourceError if it cannot be written.
std::optional<std::string> write_trust(const Keys& keys, const std::filesystem::path& config, const std::string& role,
                                       const std::string& fingerprint);

}  // namespace sotto::apps
