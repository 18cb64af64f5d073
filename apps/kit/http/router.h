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

// The decoded path and query of a request are UTF-8 without control characters. An escaped slash ("%2F") does not end a
// segment.

inline constexpr std::size_t longest_target = 4096;  // bytes
inline constexpr std::size_t most_segments = 16;
inline constexpr std::size_t most_query_names = 16;

struct Target {
  std::vector<std::string> segments;  // one empty segment for the path "/"
  std::map<std::string, std::string, std::less<>> query;
};

// Returns nothing if the text is no valid target or exceeds a limit above, or if a name occurs twice in the query.
[[nodiscard]] std::optional<Target> parse_target(std::string_view text);

// Returns nothing if an escape is incomplete, or if the result is not UTF-8 or has a control character.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

inline constexpr std::size_t longest_body = std::size_t{64} << 10;
inline constexpr std::size_t longest_batch = std::size_t{8} << 20;
inline constexpr std::size_t longest_capture = 128;

enum class BodyKind : std::uint8_t { none, json, lines };

// A ProblemError or JsonError of the handler becomes the answer. Any other error becomes status 500 without details.
using RequestHandler = std::function<void(Request&&, Responder)>;

struct Route {
  std::string method;  // GET also serves HEAD
  // A pattern is a path such as "/v1/events/{event}/reward" or "/v1/events/{event}:activate".
  std::string pattern;
  RequestHandler handler;
  BodyKind body = BodyKind::none;
  std::optional<std::size_t> most_bytes;  // if not set, the usual limit
  std::vector<std::string> query;
  std::string answers = std::string(json_type);
  bool open = false;
  bool for_readers = false;
};

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
  bool has_body = false;
  bool has_length = false;
  std::uint64_t length = 0;
};

class Router {
 public:
  // Throws std::invalid_argument for an invalid pattern, and for a pattern that matches the same paths as another route
  // with the same method.
  void add(Route route);

  // Either `route` and `request` are set, or `refusal`.
  struct Found {
    const Route* route = nullptr;  // null: see refusal
    Request request;
    std::optional<Answer> refusal;
    std::string pattern;
  };
  [[nodiscard]] Found find(const RequestHead& head) const;

  [[nodiscard]] static std::size_t most_bytes_of(const Route& route);

 private:
  struct Piece {
    std::string name;
    std::string text;
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

[[nodiscard]] bool is_body_type(std::string_view content_type, BodyKind kind);
[[nodiscard]] bool accepts(std::string_view accept, std::string_view type);

}  // namespace sotto::apps
