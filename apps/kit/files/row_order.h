// Which case each row of a file is about, as a digest beside the file: FILE.order.
//
// `sotto prepare party --id` leaves one beside what it writes. It holds SHA-256 of the ids in the order of the rows,
// and of the file itself, so that it is noticed where the file was changed since. In a handshake the parties compare
// their digests, keyed by the session of the run: rows that do not belong together are refused before the first step.
//
// A digest says no id. Who knows all ids of a party, in their order, can confirm it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sotto::apps {

// 64 hex digits, of ids in the order of the rows.
[[nodiscard]] std::string order_digest(std::span<const std::string_view> ids);

// FILE.order.
[[nodiscard]] std::filesystem::path order_file_of(const std::filesystem::path& file);
// What stands in it, for a file of these contents.
[[nodiscard]] std::string order_text(const std::string& digest, std::string_view contents);
// The digest that stands beside a file; nothing where none does. Throws InputError where it is none, or of another
// file.
[[nodiscard]] std::optional<std::string> read_order(const std::filesystem::path& file);

inline constexpr std::string_view order_remedy =
    "`sotto prepare party --id COLUMN` leaves the order beside what it writes, and a copy of a file needs a copy of it "
    "as well: `cp rows.csv.order data.csv.order`";

// What is said of files, or of roles, that do not say which cases their rows are about.
[[nodiscard]] std::string no_order_warning(const std::string& names, std::string_view remedy = order_remedy);

// What a role says of a digest in a run of that session: 64 hex digits.
[[nodiscard]] std::string keyed_order(const std::string& digest, const std::string& session);
[[nodiscard]] bool is_order_digest(std::string_view text);

// How ids are compared that companies wrote down apart: their Unicode form, case and blanks, made alike before anything
// else is done with them.
//
// "Zoë" can be written with one character for ë or with two; NFC makes one of them. NFKC also makes the same of
// full-width and of usual letters, of ligatures and of what they join. Case is folded as Unicode says: ß and ss are
// then the same. Blanks are all that Unicode counts as white space, so the ones that do not break as well.

enum class UnicodeForm : std::uint8_t { as_written, nfc, nfkc };
enum class IdCase : std::uint8_t { keep, fold };
enum class IdBlanks : std::uint8_t {
  ends,  // those at the ends are no part of an id
  one,   // also, several within are one space
  none,  // an id has none
};

struct IdForm {
  UnicodeForm unicode = UnicodeForm::nfc;
  IdCase letters = IdCase::keep;
  IdBlanks blanks = IdBlanks::ends;
};

// The id as it is compared; it may be empty. Done twice it is the same as once. Throws InputError where the text is not
// in UTF-8.
[[nodiscard]] std::string comparable_id(std::string_view id, const IdForm& form);

}  // namespace sotto::apps
