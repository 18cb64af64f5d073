#include "apps/kit/http/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

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

// Why the request is refused over what it says of its body, if it is.
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
  // Also where there is no type at all, so that no page in a browser can send a body without being asked about it.
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

// Those whose pattern is the path's, without regard to methods: of the patterns that match, the one with the fewest
// captures.
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

}  // namespace sotto::apps
