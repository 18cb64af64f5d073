#include "apps/kit/http/message_reader.h"

#include "net/transport/asio.h"

// Beast must be included after the header that configures Asio.
#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <optional>
#include <utility>

#include "core/text/count.h"

namespace sotto::apps {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using net::error_code;

std::string_view text_of(beast::string_view text) { return {text.data(), text.size()}; }

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Problem header_too_large() { return {431, "header-too-large", "The header is too large", {}, {}, {}}; }

constexpr std::uint32_t longest_response_header = 16 * 1024;

}  // namespace

class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(std::size_t longest_header) : longest_header_(longest_header) {
    header_limit(static_cast<std::uint32_t>(longest_header));
    body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  Event read(std::string_view& input);

  RequestHead head;
  std::string body;
  std::size_t most_bytes = 0;
  Problem fault;

 private:
  Event fail(Problem problem) {
    fault = std::move(problem);
    failed_ = true;
    return Event::failed;
  }
  void object(error_code& error, Problem problem) {
    objection_ = std::move(problem);
    error = http::error::bad_field;
  }
  void append(std::string_view piece, error_code& error) {
    if (piece.size() > most_bytes - body.size()) return object(error, too_large(most_bytes));
    body.append(piece);
  }
  void take(std::string& field, std::string_view value, bool& seen, error_code& error) {
    if (std::exchange(seen, true)) {
      return object(error, malformed_request("a header that comes once has come twice"));
    }
    field = value;
  }
  Problem explain(const error_code& error) const;

  void on_request_impl(http::verb, beast::string_view method, beast::string_view target, int version,
                       error_code&) override {
    head.method = text_of(method);
    head.target = text_of(target);
    head.http_1_1 = version == 11;
  }
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_field_impl(http::field name, beast::string_view name_text, beast::string_view value,
                     error_code& error) override;
  void on_header_impl(error_code& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view piece, error_code& error) override {
    append(text_of(piece), error);
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece, error_code& error) override {
    append(text_of(piece), error);
    return piece.size();
  }
  void on_finish_impl(error_code&) override {}

  std::size_t longest_header_;
  std::optional<Problem> objection_;
  bool told_head_ = false;
  bool failed_ = false;
  bool in_trailer_ = false;
  int hosts_ = 0;
  struct Seen {
    bool length = false, coding = false, type = false, encoding = false, authorization = false, expect = false;
  } seen_;
};

void RequestReader::Parser::on_field_impl(http::field name, beast::string_view, beast::string_view value,
                                          error_code& error) {
  if (in_trailer_) return;
  const std::string_view text = text_of(value);
  std::string ignored;
  switch (name) {
    case http::field::host:
      ++hosts_;
      return;
    case http::field::content_type:
      return take(head.content_type, text, seen_.type, error);
    case http::field::content_encoding:
      return take(head.content_encoding, text, seen_.encoding, error);
    case http::field::authorization:
      return take(head.authorization, text, seen_.authorization, error);
    case http::field::accept:
      if (!head.accept.empty()) head.accept += ", ";
      head.accept += text;
      return;
    case http::field::content_length:
      if (!is_digits(text)) return object(error, malformed_request("Content-Length is no number"));
      return take(ignored, text, seen_.length, error);
    case http::field::transfer_encoding:
      if (!beast::iequals(value, "chunked")) {
        return object(error, {501, "unknown-coding", "The transfer coding is not taken", "expected chunked", {}, {}});
      }
      return take(ignored, text, seen_.coding, error);
    case http::field::expect:
      if (!beast::iequals(value, "100-continue")) {
        return object(error, {417, "unknown-expectation", "The expectation is not taken", {}, {}, {}});
      }
      head.expects_continue = true;
      return;
    default:
      return;
  }
}

void RequestReader::Parser::on_header_impl(error_code& error) {
  in_trailer_ = true;
  if (head.http_1_1 ? hosts_ != 1 : hosts_ > 1) {
    return object(error, malformed_request("a request of HTTP/1.1 has one Host"));
  }
  if (seen_.coding && !head.http_1_1) return object(error, malformed_request("HTTP/1.0 has no transfer codings"));
  if (!head.http_1_1) head.expects_continue = false;
}

RequestReader::Event RequestReader::Parser::read(std::string_view& input) {
  if (failed_) return Event::failed;
  while (!is_done() || !told_head_) {
    if (is_header_done() && !std::exchange(told_head_, true)) {
      head.keep_alive = keep_alive();
      head.has_length = content_length().has_value();
      head.length = content_length().value_or(0);
      head.has_body = !is_done();
      eager(true);
      return Event::head;
    }
    if (input.empty()) return Event::more;
    error_code error;
    const std::size_t taken = put(net::asio::const_buffer(input.data(), input.size()), error);
    input.remove_prefix(taken);
    if (objection_) return fail(*std::exchange(objection_, std::nullopt));
    if (error && error != http::error::need_more) return fail(explain(error));
    if (error || taken == 0) {
      // Beast does not limit the length of chunk heads and of the trailer.
      if (input.size() >= longest_header_) return fail(header_too_large());
      return Event::more;
    }
  }
  return Event::done;
}

Problem RequestReader::Parser::explain(const error_code& error) const {
  if (error == http::error::header_limit) return header_too_large();
  if (error == http::error::bad_version) {
    return {505, "unknown-version", "The version of HTTP is not taken", "expected HTTP/1.1", {}, {}};
  }
  if (error == http::error::bad_content_length || error == http::error::bad_transfer_encoding) {
    return malformed_request("the length of the body is given twice, or is no number");
  }
  const bool in_body = told_head_;
  return malformed_request(in_body ? "a chunk of the body is malformed" : "its first line or a header is malformed");
}

RequestReader::RequestReader(std::size_t longest_header) : parser_(std::make_unique<Parser>(longest_header)) {}
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;
RequestReader::~RequestReader() = default;

RequestReader::Event RequestReader::read(std::string_view& input) { return parser_->read(input); }
const RequestHead& RequestReader::head() const noexcept { return parser_->head; }
void RequestReader::allow(std::size_t most_bytes) noexcept { parser_->most_bytes = most_bytes; }
std::string& RequestReader::body() noexcept { return parser_->body; }
const Problem& RequestReader::fault() const noexcept { return parser_->fault; }

class ResponseReader::Parser final : public http::basic_parser<false> {
 public:
  Parser(std::size_t most_bytes, bool head) : most_bytes_(most_bytes) {
    header_limit(longest_response_header);
    body_limit(std::numeric_limits<std::uint64_t>::max());
    eager(true);
    if (head) skip(true);
  }

  Event read(std::string_view& input);
  Event end();

  unsigned status = 0;
  bool keeps = false;
  std::string type;
  std::string body;
  std::string fault;

 private:
  Event fail(const std::string& why) {
    if (fault.empty()) fault = why;
    return Event::failed;
  }
  std::size_t append(beast::string_view piece, error_code& error) {
    if (piece.size() > most_bytes_ - body.size()) {
      fault = fmt::format("its answer is longer than {}", counted(most_bytes_, "byte"));
      error = http::error::body_limit;
    } else {
      body.append(piece.data(), piece.size());
    }
    return piece.size();
  }

  void on_request_impl(http::verb, beast::string_view, beast::string_view, int, error_code&) override {}
  void on_response_impl(int code, beast::string_view, int, error_code&) override {
    status = static_cast<unsigned>(code);
  }
  void on_field_impl(http::field name, beast::string_view, beast::string_view value, error_code&) override {
    if (name == http::field::content_type) type.assign(value.data(), value.size());
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view piece, error_code& error) override { return append(piece, error); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece, error_code& error) override {
    return append(piece, error);
  }
  void on_finish_impl(error_code&) override { keeps = keep_alive(); }

  std::size_t most_bytes_;
};

ResponseReader::Event ResponseReader::Parser::read(std::string_view& input) {
  if (!fault.empty()) return Event::failed;
  while (!is_done()) {
    if (input.empty()) return Event::more;
    error_code error;
    const std::size_t taken = put(net::asio::const_buffer(input.data(), input.size()), error);
    input.remove_prefix(taken);
    if (error && error != http::error::need_more) return fail("it answers with what is no HTTP/1.1");
    if (error || taken == 0) {
      return input.size() < longest_response_header ? Event::more : fail("the header of its answer is too long");
    }
  }
  return Event::done;
}

ResponseReader::Event ResponseReader::Parser::end() {
  if (!fault.empty()) return Event::failed;
  if (is_done()) return Event::done;
  error_code error;
  if (got_some()) put_eof(error);
  const bool whole = got_some() && !error && is_done();
  keeps = false;
  return whole ? Event::done : fail("it closed the connection before its answer was whole");
}

ResponseReader::ResponseReader(std::size_t most_bytes, bool head)
    : parser_(std::make_unique<Parser>(most_bytes, head)), most_bytes_(most_bytes), head_(head) {}
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;
ResponseReader::~ResponseReader() = default;

ResponseReader::Event ResponseReader::read(std::string_view& input) {
  begun_ = begun_ || !input.empty();
  for (;;) {
    const Event event = parser_->read(input);
    if (event != Event::done || parser_->status >= 200) return event;
    parser_ = std::make_unique<Parser>(most_bytes_, head_);
  }
}

ResponseReader::Event ResponseReader::end() { return parser_->end(); }
bool ResponseReader::begun() const noexcept { return begun_; }
bool ResponseReader::keep_alive() const noexcept { return parser_->keeps; }
unsigned ResponseReader::status() const noexcept { return parser_->status; }
const std::string& ResponseReader::type() const noexcept { return parser_->type; }
std::string& ResponseReader::body() noexcept { return parser_->body; }
const std::string& ResponseReader::fault() const noexcept { return parser_->fault; }

}  // namespace sotto::apps
