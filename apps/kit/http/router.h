// Which handler a request is for, and what is asked of a request before its body is taken.
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

// The target of a request, taken apart: the segments of its path and its query, decoded.
//
// Taken are the origin form ("/v1/events/ab?wait_ms=5") and the absolute form of http and https, whose authority is
// ignored as it is the server's own. A decoded text is UTF-8 without control characters; "%2F" within a segment is a
// character of that segment and parts nothing.

inline constexpr std::size_t longest_target = 4096;  // bytes
inline constexpr std::size_t most_segments = 16;
inline constexpr std::size_t most_query_names = 16;

struct Target {
  std::vector<std::string> segments;  // of "/" one empty one
  std::map<std::string, std::string, std::less<>> query;
};

// Nothing if it is none: not of these forms, longer, a bad escape, a name twice in the query, more than there may be.
[[nodiscard]] std::optional<Target> parse_target(std::string_view text);

// The text with its %XX replaced; nothing if one is incomplete, or if what comes out is no UTF-8 or holds a control
// character.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

inline constexpr std::size_t longest_body = std::size_t{64} << 10;
inline constexpr std::size_t longest_batch = std::size_t{8} << 20;
inline constexpr std::size_t longest_capture = 128;

enum class BodyKind : std::uint8_t { none, json, lines };

// May answer at once or later; called from within Io::run_for(). A ProblemError or a JsonError thrown here is the
// answer; any other error is a 500 that tells nothing.
using RequestHandler = std::function<void(Request&&, Responder)>;

struct Route {
  std::string method;  // GET (which serves HEAD as well), PUT, POST, DELETE
  // "/v1/events/{event}/reward", "/v1/decisions:batch", "/v1/events/{event}:activate": a segment is a text, or a
  // capture {name} and perhaps a text that begins with ':'.
  std::string pattern;
  RequestHandler handler;
  BodyKind body = BodyKind::none;
  std::optional<std::size_t> most_bytes;         // of the body; none: by its kind
  std::vector<std::string> query;                // names that it takes; any other is refused
  std::string answers = std::string(json_type);  // what it answers with, for Accept
  bool open = false;                             // answered without a token: for probes of health
  bool for_readers = false;                      // answered also with the token of those who only read
};

// What is said of a request before its body: enough to refuse it.
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
  bool has_body = false;  // of a length above 0, or chunked
  bool has_length = false;
  std::uint64_t length = 0;  // 0 if it is chunked
};

class Router {
 public:
  // Throws std::invalid_argument for a pattern that cannot be, or that matches the same paths as another of its method.
  void add(Route route);

  // The route of a request, and `request` without its body; or the answer that refuses it.
  struct Found {
    const Route* route = nullptr;  // none: refusal
    Request request;
    std::optional<Answer> refusal;
    std::string pattern;  // of the path, known or not: "" if none matches
  };
  [[nodiscard]] Found find(const RequestHead& head) const;

  [[nodiscard]] static std::size_t most_bytes_of(const Route& route);

 private:
  struct Piece {
    std::string name;  // of a capture, else empty
    std::string text;  // all of the segment, or what follows the capture
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

// Whether the media type of `content_type` is the one that such a body has; of JSON and lines in UTF-8 alone.
[[nodiscard]] bool is_body_type(std::string_view content_type, BodyKind kind);
// Whether an Accept header takes `type`; an empty one takes all.
[[nodiscard]] bool accepts(std::string_view accept, std::string_view type);

}  // namespace sotto::apps
