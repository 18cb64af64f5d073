#include <optional>
#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/http/json_body.h"
#include "apps/kit/http/message_reader.h"
#include "apps/kit/http/responder.h"
#include "apps/kit/http/router.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {

using namespace apps;

namespace {

void take_fields(const nlohmann::json& object) {
  JsonFields fields(object);
  static_cast<void>(fields.text("event", 32));
  static_cast<void>(fields.flag("activate"));
  static_cast<void>(fields.number("value", -1, 1));
  static_cast<void>(fields.whole("deadline_ms", 0, 30'000));
  static_cast<void>(fields.numbers("x", 2));
  static_cast<void>(fields.texts("not_arms", 4, 16));
  static_cast<void>(fields.named_numbers("values", 4));
  static_cast<void>(fields.rows("rows", 2, 2));
  fields.finish();
}

Router fuzzed_router() {
  Router router;
  const auto add = [&](const char* method, const char* pattern, BodyKind body) {
    Route route;
    route.method = method;
    route.pattern = pattern;
    route.body = body;
    route.query = {"wait_ms"};
    route.handler = [](Request&&, const Responder&) {};
    router.add(std::move(route));
  };
  add("GET", "/", BodyKind::none);
  add("GET", "/v1/decisions/{event}", BodyKind::none);
  add("POST", "/v1/decisions", BodyKind::json);
  add("POST", "/v1/decisions:batch", BodyKind::lines);
  add("POST", "/v1/events/{event}:activate", BodyKind::none);
  return router;
}

constexpr std::size_t longest_fuzzed_header = 2048;

struct HeardRequest {
  RequestReader::Event last = RequestReader::Event::more;
  RequestHead head;
  std::string body;
};

HeardRequest hear_request(std::string_view bytes, std::size_t piece) {
  constexpr std::size_t most_body = 4096;
  RequestReader reader(longest_fuzzed_header);
  HeardRequest heard;
  std::string input;
  for (;;) {
    std::string_view rest = input;
    heard.last = reader.read(rest);
    input.erase(0, input.size() - rest.size());
    if (heard.last == RequestReader::Event::head) {
      heard.head = reader.head();
      reader.allow(most_body);
    } else if (heard.last == RequestReader::Event::more && !bytes.empty()) {
      input += bytes.substr(0, piece);
      bytes.remove_prefix(std::min(piece, bytes.size()));
    } else {
      break;
    }
  }
  heard.body = reader.body();
  require(heard.body.size() <= most_body, "a body is within its limit");
  if (heard.last == RequestReader::Event::failed) {
    require(reader.fault().status >= 400 && is_printable(problem_json(reader.fault())),
            "a fault is a printable problem");
  }
  return heard;
}

}  // namespace

void json_body(Input input) {
  or_refused_printably<JsonError>([&] {
    const nlohmann::json value = read_json_body(text_of(input));
    require(read_json_body(value.dump()) == value, "what is read is written and read again");
    take_fields(value);
  });
}

void json_lines(Input input) {
  or_refused<ProblemError>([&] {
    const auto lines = lines_of(text_of(input), 64);
    require(!lines.empty() && lines.size() <= 64, "there are as many lines as there may be");
    for (const std::string_view line : lines) require(line.find('\n') == std::string_view::npos, "a line has no end");
  });
}

void http_target(Input input) {
  static const Router router = fuzzed_router();
  for (const char* const method : {"GET", "POST"}) {
    RequestHead head;
    head.method = method;
    head.target = std::string(text_of(input));
    const Router::Found found = router.find(head);
    require((found.route == nullptr) == found.refusal.has_value(), "a request is for a route, or refused");
    if (found.refusal) require(is_printable(found.refusal->body), "a refusal is printable");
    for (const auto& [name, value] : found.request.captures) {
      require(!value.empty() && value.size() <= longest_capture, "a capture has its length");
      require(value.find_first_of("/:") == std::string::npos, "a capture parts nothing");
    }
  }
}

void http_request(Input input) {
  // The end of a header is appended, because the parser may wait until a header is complete. For requests beyond the
  // limit on sizes, the result depends on how many bytes come at once.
  const std::string bytes = std::string(text_of(input)) + "\r\n\r\n";
  const HeardRequest whole = hear_request(bytes, bytes.size());
  const HeardRequest cut = hear_request(bytes, 7);
  if (bytes.size() < longest_fuzzed_header) {
    require(whole.last == cut.last, "pieces do not matter");
    require(whole.body == cut.body && whole.head.target == cut.head.target, "pieces change nothing");
  }
  std::string_view rest = text_of(input);
  ResponseReader response(4096, false);
  if (response.read(rest) == ResponseReader::Event::more) static_cast<void>(response.end());
  require(is_printable(response.fault()), "a fault is printable");
}

}  // namespace sotto::fuzz
