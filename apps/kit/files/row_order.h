// The case that each row of a file is about, as a digest next to the file: FILE.order.
//
// `sotto prepare party --id` leaves such a file next to its output. It holds the SHA-256 of the ids in the order of the
// rows, and the SHA-256 of the file itself. A later change of the file is therefore noticed. In a handshake the parties
// compare their digests, keyed by the session of the run. Rows that do not belong together are refused before the first
// step.
//
// A digest reveals no id. A role that knows all ids of a party, in their order, can confirm the digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sotto::apps {

// The digest of ids in the order of the rows, as 64 hex digits.
[[nodiscard]] std::string order_digest(std::span<const std::string_view> ids);

// The path FILE.order.
[[nodiscard]] std::filesystem::path order_file_of(const std::filesystem::path& file);
// The content of the order file for a file with these contents.
[[nodiscard]] std::string order_text(const std::string& digest, std::string_view contents);
// The digest in the order file next to `file`. Nothing if there is no order file. Throws InputError if the order file
// holds no digest, or belongs to another file.
[[nodiscard]] std::optional<std::string> read_order(const std::filesystem::path& file);

inline constexpr std::string_view order_remedy =
    "`sotto prepare party --id COLUMN` writes the order next to its output, and a copy of a file needs a copy of the "
    "order as well: `cp rows.csv.order data.csv.order`";

// The warning about files or roles that do not say which cases their rows are about.
[[nodiscard]] std::string no_order_warning(const std::string& names, std::string_view remedy = order_remedy);

// The digest as a role announces it in the run with `session`: 64 hex digits.
[[nodiscard]] std::string keyed_order(const std::string& digest, const std::string& session);
[[nodiscard]] bool is_order_digest(std::string_view text);

// The comparison of ids that companies wrote down independently. Their Unicode form, case and blanks are made equal
// before any other step.
//
// "Zoë" can be written with one character for ë or with two. NFC makes both the same. NFKC also makes full-width
// letters the same as usual letters, and ligatures the same as the letters that they join. Case is folded as Unicode
// says: ß and ss are then the same. Blanks are all characters that Unicode counts as white space, including no-break
// spaces.

enum class UnicodeForm : std::uint8_t { as_written, nfc, nfkc };
enum class IdCase : std::uint8_t { keep, fold };
enum class IdBlanks : std::uint8_t {
  ends,  // blanks at the ends are no part of an id
  one,   // also, several blanks inside become one space
  none,  // an id has no blanks
};

struct IdForm {
  UnicodeForm unicode = UnicodeForm::nfc;
  IdCase letters = IdCase::keep;
  IdBlanks blanks = IdBlanks::ends;
};

// The id in the form that is compared. It may be empty. Applying the function twice gives the same result as once.
// Throws InputError if the text is not in UTF-8.
[[nodiscard]] std::string comparable_id(std::string_view id, const IdForm& form);

}  // namespace sotto::apps
