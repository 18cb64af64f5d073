#include "apps/kit/http/target.h"

#include <utility>

#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_plain_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < ' ' || byte == 0x7f) return false;
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

// The path and the query of an absolute form; of any other text, that text.
std::string_view without_authority(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::size_t end = text.find_first_of("/?", scheme.size());
    if (end == scheme.size()) return {};  // no authority
    if (end == std::string_view::npos || text[end] == '?') return {};
    return text.substr(end);
  }
  return text;
}

bool parse_path(std::string_view path, Target& target) {
  for (path.remove_prefix(1);;) {
    const std::size_t end = path.find('/');
    auto segment = percent_decoded(path.substr(0, end));
    if (!segment || target.segments.size() == most_segments) return false;
    target.segments.push_back(std::move(*segment));
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

bool parse_query(std::string_view query, Target& target) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    const std::size_t equals = part.find('=');
    auto name = percent_decoded(part.substr(0, equals));
    auto value = percent_decoded(equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1));
    if (!name || name->empty() || !value || target.query.size() == most_query_names) return false;
    if (!target.query.emplace(std::move(*name), std::move(*value)).second) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(16 * high + low);
    i += 2;
  }
  if (!is_plain_utf8(decoded)) return std::nullopt;
  return decoded;
}

std::optional<Target> parse_target(std::string_view text) {
  if (text.size() > longest_target) return std::nullopt;
  text = without_authority(text);
  if (text.empty() || text.front() != '/') return std::nullopt;
  const std::size_t question = text.find('?');
  Target target;
  if (!parse_path(text.substr(0, question), target)) return std::nullopt;
  if (question != std::string_view::npos && !parse_query(text.substr(question + 1), target)) return std::nullopt;
  return target;
}

}  // namespace sotto::apps
