// A config from its text: TOML whose keys all stand in a table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "apps/kit/settings/document.h"

namespace sotto::apps {

enum class Unknown : std::uint8_t { refused, skipped };

// The keys must be among `keys`, which live as long as the document. `file` is
// the name for messages and gives the folder. Throws InputError with file, line and column; an unknown table or key
// gets a hint at what was probably meant, or is left out.
[[nodiscard]] ConfigDocument parse_document(const Keys& keys, const std::string& text,
                                            const std::filesystem::path& file, Unknown unknown = Unknown::refused);
// The same of a file of at most 64 KB (toml_text.h).
[[nodiscard]] ConfigDocument read_document(const Keys& keys, const std::filesystem::path& file);

}  // namespace sotto::apps
