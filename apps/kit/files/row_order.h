// The order file next to a data file lets parties check that their rows are about the same cases.
//
// An order file contains the SHA-256 of the ids in the order of the rows, and the SHA-256 of the data file. In a
// handshake the parties compare their digests of the ids, keyed by the session of the run. Different digests end the
// run before the first step.
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

// 64 hex digits.
[[nodiscard]] std::string order_digest(std::span<const std::string_view> ids);

// The path FILE.order.
[[nodiscard]] std::filesystem::path order_file_of(const std::filesystem::path& file);
[[nodiscard]] std::string order_text(const std::string& digest, std::string_view contents);
// Throws InputError if the order file has no digest, or belongs to another data file.
[[nodiscard]] std::optional<std::string> read_order(const std::filesystem::path& file);

inline constexpr std::string_view order_remedy =
    "`sotto prepare party --id COLUMN` writes the order next to its output, and a copy of a file needs a copy of the "
    "order as well: `cp rows.csv.order data.csv.order`";

[[nodiscard]] std::string no_order_warning(const std::string& names, std::string_view remedy = order_remedy);

[[nodiscard]] std::string keyed_order(const std::string& digest, const std::string& session);
[[nodiscard]] bool is_order_digest(std::string_view text);

// Unicode can write "ë" as one character or as two; NFC makes both equal. NFKC also makes full-width letters equal to
// usual letters, and ligatures equal to the letters that they join. Case is folded as Unicode defines: ß and ss become
// equal. Blanks are all characters that Unicode counts as white space, no-break spaces included.

enum class UnicodeForm : std::uint8_t { as_written, nfc, nfkc };
enum class IdCase : std::uint8_t { keep, fold };
enum class IdBlanks : std::uint8_t {
  ends,  // removes blanks at the ends
  one,   // also turns several blanks inside an id into one space
  none,  // removes all blanks
};

struct IdForm {
  UnicodeForm unicode = UnicodeForm::nfc;
  IdCase letters = IdCase::keep;
  IdBlanks blanks = IdBlanks::ends;
};

// The result may be empty. Throws InputError if the text is not in UTF-8.
[[nodiscard]] std::string comparable_id(std::string_view id, const IdForm& form);

}  // namespace sotto::apps
