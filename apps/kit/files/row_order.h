// The order file FILE.order next to a data file has a digest of the ids of the rows. With order files, parties can
// check that their rows are about the same cases.
//
// `sotto prepare party --id` writes an order file next to its output. An order file has the SHA-256 of the ids in the
// order of the rows, and the SHA-256 of the data file. A later change of the data file is therefore noticed. In a
// handshake the parties compare their digests of the ids, keyed by the session of the run. Rows that do not belong
// together are therefore refused before the first step.
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
// Returns the text of the order file for a data file that has the contents `contents`.
[[nodiscard]] std::string order_text(const std::string& digest, std::string_view contents);
// The digest in the order file next to `file`. Returns nothing if there is no order file. Throws InputError if the
// order file has no digest, or belongs to another data file.
[[nodiscard]] std::optional<std::string> read_order(const std::filesystem::path& file);

inline constexpr std::string_view order_remedy =
    "`sotto prepare party --id COLUMN` writes the order next to its output, and a copy of a file needs a copy of the "
    "order as well: `cp rows.csv.order data.csv.order`";

// The warning about files or roles that have no order file. Without order files, nobody can check which cases the rows
// are about.
[[nodiscard]] std::string no_order_warning(const std::string& names, std::string_view remedy = order_remedy);

// The digest in the form that a role announces in the run with `session`: 64 hex digits.
[[nodiscard]] std::string keyed_order(const std::string& digest, const std::string& session);
[[nodiscard]] bool is_order_digest(std::string_view text);

// The functions below help to compare ids that companies wrote down independently. The Unicode form, case and blanks of
// the ids are made equal before any other step.
//
// "Zoë" can be written with one character for ë or with two. The form NFC makes both spellings equal. The form NFKC
// also makes full-width letters equal to usual letters, and ligatures equal to the letters that they join. Case is
// folded as Unicode defines: after folding, ß and ss are equal. Blanks are all characters that Unicode counts as white
// space, including no-break spaces.

enum class UnicodeForm : std::uint8_t { as_written, nfc, nfkc };
enum class IdCase : std::uint8_t { keep, fold };
enum class IdBlanks : std::uint8_t {
  ends,  // blanks at the ends are no part of an id
  one,   // as `ends`, and several blanks inside an id become one space
  none,  // all blanks are removed from an id
};

struct IdForm {
  UnicodeForm unicode = UnicodeForm::nfc;
  IdCase letters = IdCase::keep;
  IdBlanks blanks = IdBlanks::ends;
};

// The id in the form in which ids are compared. The result may be empty. Applying the function twice gives the same
// result as applying it once. Throws InputError if the text is not in UTF-8.
[[nodiscard]] std::string comparable_id(std::string_view id, const IdForm& form);

}  // namespace sotto::apps
