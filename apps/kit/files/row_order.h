// Which case each row of a file is about, as a digest beside the file: FILE.order.
//
// `sotto prepare party --id` leaves one beside what it writes. It holds SHA-256 of the ids in the order of the rows,
// and of the file itself, so that it is noticed where the file was changed since. In a handshake the parties compare
// their digests, keyed by the session of the run: rows that do not belong together are refused before the first step.
//
// A digest says no id. Who knows all ids of a party, in their order, can confirm it.
#pragma once

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

}  // namespace sotto::apps
