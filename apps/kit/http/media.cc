// Media types in Content-Type and Accept.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "apps/kit/files/input_file.h"
#include "apps/kit/http/router.h"

namespace sotto::apps {
namespace {

std::string lower(std::string_view text) {
  std::string result(trim(text));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// What stands before the next separator, which goes off the text as well.
std::string_view next_part(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trim(part);
}

bool is_zero_weight(std::string_view parameter) {
  const std::string text = lower(parameter);
  if (!text.starts_with("q=")) return false;
  return text.find_first_not_of("0.", 2) == std::string::npos;
}

bool covers(std::string_view range, std::string_view type) {
  if (range == "*/*" || range == type) return true;
  return range.ends_with("/*") && type.substr(0, range.size() - 1) == range.substr(0, range.size() - 1);
}

}  // namespace

bool is_body_type(std::string_view content_type, BodyKind kind) {
  const std::string type = lower(next_part(content_type, ';'));
  const bool known = kind == BodyKind::json ? type == json_type : type == lines_type || type == "application/ndjson";
  if (!known) return false;
  while (!content_type.empty()) {
    const std::string parameter = lower(next_part(content_type, ';'));
    if (!parameter.starts_with("charset=")) continue;
    if (parameter != "charset=utf-8" && parameter != "charset=\"utf-8\"") return false;
  }
  return true;
}

bool accepts(std::string_view accept, std::string_view type) {
  if (trim(accept).empty()) return true;
  type = next_part(type, ';');
  // A range that is more exact decides: "application/json;q=0, */*" does not take JSON.
  std::size_t best = 0;
  bool taken = false;
  while (!accept.empty()) {
    std::string_view rest = next_part(accept, ',');
    const std::string range = lower(next_part(rest, ';'));
    bool refused = false;
    while (!rest.empty()) refused = is_zero_weight(next_part(rest, ';')) || refused;
    if (!covers(range, type)) continue;
    const std::size_t exact = range == "*/*" ? 1 : range.ends_with("/*") ? 2 : 3;
    if (exact < best) continue;
    taken = !refused || (exact == best && taken);
    best = exact;
  }
  return taken;
}

}  // namespace sotto::apps
