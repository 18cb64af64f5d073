// Finds the handler of a request, and checks the request before its body is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/http/responder.h"

namespace sotto::apps {

// The parts of a request's target: the segments of the path, and the query, both decoded.
//
// A target may have the origin form ("/v1/events/ab?wait_ms=5") or the absolute form with http or https. The authority
// (host and port) of the absolute form is ignored, because it names this server. A decoded text is UTF-8 without
// control characters. "%2F" within a segment is a character of that segment and separates nothing.

inline constexpr std::size_t longest_target = 4096;  // bytes
inline constexpr std::size_t most_segments = 16;
inline constexpr std::size_t most_query_names = 16;

struct Target {
  std::vector<std::string> segments;  // the target "/" has one empty segment
  std::map<std::string, std::string, std::less<>> query;
};

// Parses a target. Returns nothing if the text is in neither form, is too long, has a bad escape, has a name twice in
// the query, or has too many segments or names.
[[nodiscard]] std::optional<Target> parse_target(std::string_view text);

// Replaces each %XX by its byte. Returns nothing if an escape is incomplete, or if the result is not UTF-8 or has a
// control character.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

inline constexpr std::size_t longest_body = std::size_t{64} << 10;
inline constexpr std::size_t longest_batch = std::size_t{8} << 20;
inline constexpr std::size_t longest_capture = 128;

enum class BodyKind : std::uint8_t { none, json, lines };

// A handler may answer at once or later. The server calls a handler from within Io::run_for(). If the handler throws a
// ProblemError or a JsonError, that error is the answer. For any other error the answer has status 500 and no details.
using RequestHandler = std::function<void(Request&&, Responder)>;

struct Route {
  std::string method;  // GET (also serves HEAD), PUT, POST, DELETE
  // The pattern of the path, for example "/v1/events/{event}/reward", "/v1/decisions:batch" or
  // "/v1/events/{event}:activate". A segment of the pattern is a text, or a capture {name} that may be followed by a
  // text that starts with ':'.
  std::string pattern;
  RequestHandler handler;
  BodyKind body = BodyKind::none;
  std::optional<std::size_t> most_bytes;         // most bytes of the body; not set: the usual limit for `body`
  std::vector<std::string> query;                // names that the query may have; any other name is refused
  std::string answers = std::string(json_type);  // type of the answer, which is compared with Accept
  bool open = false;                             // true: needs no token; for health probes
  bool for_readers = false;                      // true: the token for readers is enough
};

// The part of a request before its body, which has all the data that is needed to decide whether to refuse the request.
struct RequestHead {
  std::string method;
  std::string target;
  std::string content_type;
  std::string content_encoding;
  std::string accept;
  std::string authorization;
  bool http_1_1 = true;
  bool keep_alive = true;
  bool expects_continue = false;
  bool has_body = false;  // the length is above 0, or the body is chunked
  bool has_length = false;
  std::uint64_t length = 0;  // 0 if the body is chunked
};

class Router {
 public:
  // Adds a route. Throws std::invalid_argument if the pattern is invalid, or if another route with the same method has
  // a pattern that matches the same paths.
  void add(Route route);

  // The result of find(): either the route and the request (still without its body), or the answer that refuses the
  // request.
  struct Found {
    const Route* route = nullptr;  // null: see refusal
    Request request;
    std::optional<Answer> refusal;
    std::string pattern;  // pattern that matches the path, for any method; "" if none does
  };
  [[nodiscard]] Found find(const RequestHead& head) const;

  [[nodiscard]] static std::size_t most_bytes_of(const Route& route);

 private:
  struct Piece {
    std::string name;  // name of the capture; empty if the segment is a text
    std::string text;  // the whole segment, or the text that follows the capture
  };
  struct Entry {
    Route route;
    std::vector<Piece> pieces;
    std::size_t captures = 0;
  };
  static Entry compile(Route route);
  static bool match(const Entry& entry, const Target& target, Request& request);
  [[nodiscard]] std::vector<const Entry*> matches(const Target& target) const;

  std::vector<Entry> entries_;
};

// Whether `content_type` is a media type for bodies of this kind. For JSON and lines, only UTF-8 is accepted.
[[nodiscard]] bool is_body_type(std::string_view content_type, BodyKind kind);
// Whether an Accept header accepts `type`. An empty header accepts every type.
[[nodiscard]] bool accepts(std::string_view accept, std::string_view type);

}  // namespace sotto::apps
