#include "apps/kit/http/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::array<std::string_view, 4> methods{"GET", "PUT", "POST", "DELETE"};

std::string_view method_of(const RequestHead& head) {
  return head.method == "HEAD" ? std::string_view("GET") : std::string_view(head.method);
}

Answer method_not_allowed(const std::vector<std::string>& allowed) {
  Answer answer = Answer::of({405, "method-not-allowed", "This path takes other methods", {}, {}, {}});
  answer.headers.emplace_back("Allow", fmt::format("{}", fmt::join(allowed, ", ")));
  return answer;
}

std::string_view expected_type(BodyKind kind) {
  return kind == BodyKind::json ? "expected Content-Type: application/json"
                                : "expected Content-Type: application/x-ndjson, one JSON object a line";
}

std::optional<Problem> objection_to_body(const RequestHead& head, const Route& route) {
  const std::size_t most = Router::most_bytes_of(route);
  if (head.has_length && head.length > most) return too_large(most);
  if (route.body == BodyKind::none) {
    return head.has_body ? std::optional(too_large(0)) : std::nullopt;
  }
  if (!head.has_body && !head.has_length) {
    return Problem{411, "length-required", "The length of the body is missing", "give Content-Length", {}, {}};
  }
  const bool coded = !head.content_encoding.empty() && head.content_encoding != "identity";
  // A body without a Content-Type is refused. Otherwise a web page of another site could send a body before the browser
  // asks this server for permission.
  if (coded || !is_body_type(head.content_type, route.body)) {
    return Problem{415,
                   "unsupported-type",
                   "The body is of another type",
                   coded ? "expected a body without Content-Encoding" : std::string(expected_type(route.body)),
                   {},
                   {}};
  }
  return std::nullopt;
}

std::optional<Problem> objection_to_rest(const RequestHead& head, const Route& route, const Target& target) {
  if (!accepts(head.accept, route.answers)) {
    return Problem{406, "not-acceptable", "The answer is of another type", "it is " + route.answers, {}, {}};
  }
  for (const auto& [name, value] : target.query) {
    if (std::find(route.query.begin(), route.query.end(), name) == route.query.end()) {
      return malformed_request(fmt::format("the query has an unknown name '{}'", printable(name, 64)));
    }
  }
  return objection_to_body(head, route);
}

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

std::string lower(std::string_view text) {
  std::string result(trim(text));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

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

std::size_t Router::most_bytes_of(const Route& route) {
  if (route.most_bytes) return *route.most_bytes;
  return route.body == BodyKind::none ? 0 : route.body == BodyKind::json ? longest_body : longest_batch;
}

Router::Entry Router::compile(Route route) {
  require_argument(std::find(methods.begin(), methods.end(), route.method) != methods.end(),
                   "a route's method is GET, PUT, POST or DELETE");
  require_argument(route.pattern.starts_with('/') && route.handler != nullptr,
                   "a route has a pattern that begins with '/', and a handler");
  Entry entry;
  std::string_view rest = route.pattern;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size());
    Piece piece;
    if (segment.starts_with('{')) {
      const std::size_t end = segment.find('}');
      require_argument(end != std::string_view::npos && end > 1, "a capture is {name}");
      piece.name = segment.substr(1, end - 1);
      piece.text = segment.substr(end + 1);
      require_argument(piece.text.empty() || piece.text.starts_with(':'), "only ':' and a text follow a capture");
      ++entry.captures;
    } else {
      require_argument(segment.find_first_of("{}") == std::string_view::npos, "a capture begins a segment");
      piece.text = segment;
    }
    entry.pieces.push_back(std::move(piece));
  }
  entry.route = std::move(route);
  return entry;
}

void Router::add(Route route) {
  Entry entry = compile(std::move(route));
  const auto alike = [](const Piece& a, const Piece& b) {
    return a.name.empty() == b.name.empty() && a.text == b.text;
  };
  for (const Entry& other : entries_) {
    require_argument(
        other.route.method != entry.route.method ||
            !std::equal(other.pieces.begin(), other.pieces.end(), entry.pieces.begin(), entry.pieces.end(), alike),
        "two routes of a method match the same paths");
  }
  entries_.push_back(std::move(entry));
}

bool Router::match(const Entry& entry, const Target& target, Request& request) {
  if (entry.pieces.size() != target.segments.size()) return false;
  for (std::size_t i = 0; i < entry.pieces.size(); ++i) {
    const Piece& piece = entry.pieces[i];
    const std::string& segment = target.segments[i];
    if (piece.name.empty()) {
      if (segment != piece.text) return false;
      continue;
    }
    if (segment.size() <= piece.text.size() || !segment.ends_with(piece.text)) return false;
    std::string captured = segment.substr(0, segment.size() - piece.text.size());
    if (captured.size() > longest_capture || captured.find_first_of("/:") != std::string::npos) return false;
    request.captures[piece.name] = std::move(captured);
  }
  return true;
}

// If several patterns match, the patterns with the fewest captures win.
std::vector<const Router::Entry*> Router::matches(const Target& target) const {
  std::vector<const Entry*> found;
  Request ignored;
  for (const Entry& entry : entries_) {
    if (!match(entry, target, ignored)) continue;
    if (!found.empty() && entry.captures > found.front()->captures) continue;
    if (!found.empty() && entry.captures < found.front()->captures) found.clear();
    found.push_back(&entry);
  }
  return found;
}

Router::Found Router::find(const RequestHead& head) const {
  Found found;
  const auto refuse = [&](Answer answer) {
    found.refusal = std::move(answer);
    return std::move(found);
  };
  if (head.target.size() > longest_target) {
    return refuse(Answer::of({414, "target-too-long", "The path and query are too long", {}, {}, {}}));
  }
  const std::optional<Target> target = parse_target(head.target);
  if (!target) return refuse(Answer::of(malformed_request("the target is no path and query in UTF-8")));
  const std::vector<const Entry*> of_path = matches(*target);
  if (of_path.empty()) return refuse(Answer::of(not_found()));
  found.pattern = of_path.front()->route.pattern;
  std::vector<std::string> allowed;
  const Entry* entry = nullptr;
  for (const Entry* const each : of_path) {
    if (each->route.method == method_of(head)) entry = each;
    allowed.push_back(each->route.method);
    if (each->route.method == "GET") allowed.emplace_back("HEAD");
  }
  if (entry == nullptr) return refuse(method_not_allowed(allowed));
  if (const auto problem = objection_to_rest(head, entry->route, *target)) return refuse(Answer::of(*problem));
  match(*entry, *target, found.request);
  found.request.method = head.method;
  found.request.query = target->query;
  found.route = &entry->route;
  return found;
}

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
  // The most exact of the matching ranges decides: "application/json;q=0, */*" does not accept JSON.
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
