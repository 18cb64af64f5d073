#include "apps/kit/http/response_reader.h"

#include "net/transport/asio.h"
// Beast comes after the settings of Asio.
#include <boost/beast/http/basic_parser.hpp>

#include <fmt/format.h>

#include <limits>

#include "core/text/count.h"

namespace sotto::apps {
namespace {

namespace response_http = boost::beast::http;
using BeastText = boost::beast::string_view;

constexpr std::uint32_t longest_response_header = 16 * 1024;

}  // namespace

class ResponseReader::Parser final : public response_http::basic_parser<false> {
 public:
  Parser(std::size_t most_bytes, bool head) : most_bytes_(most_bytes) {
    header_limit(longest_response_header);
    body_limit(std::numeric_limits<std::uint64_t>::max());  // append() limits it
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
  std::size_t append(BeastText piece, net::error_code& error) {
    if (piece.size() > most_bytes_ - body.size()) {
      fault = fmt::format("its answer is longer than {}", counted(most_bytes_, "byte"));
      error = response_http::error::body_limit;
    } else {
      body.append(piece.data(), piece.size());
    }
    return piece.size();
  }

  void on_request_impl(response_http::verb, BeastText, BeastText, int, net::error_code&) override {}
  void on_response_impl(int code, BeastText, int, net::error_code&) override { status = static_cast<unsigned>(code); }
  void on_field_impl(response_http::field name, BeastText, BeastText value, net::error_code&) override {
    if (name == response_http::field::content_type) type.assign(value.data(), value.size());
  }
  void on_header_impl(net::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, net::error_code&) override {}
  std::size_t on_body_impl(BeastText piece, net::error_code& error) override { return append(piece, error); }
  void on_chunk_header_impl(std::uint64_t, BeastText, net::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastText piece, net::error_code& error) override {
    return append(piece, error);
  }
  void on_finish_impl(net::error_code&) override { keeps = keep_alive(); }

  std::size_t most_bytes_;
};

ResponseReader::Event ResponseReader::Parser::read(std::string_view& input) {
  if (!fault.empty()) return Event::failed;
  while (!is_done()) {
    if (input.empty()) return Event::more;
    net::error_code error;
    const std::size_t taken = put(net::asio::const_buffer(input.data(), input.size()), error);
    input.remove_prefix(taken);
    if (error && error != response_http::error::need_more) return fail("it answers with what is no HTTP/1.1");
    if (error || taken == 0) {
      return input.size() < longest_response_header ? Event::more : fail("the header of its answer is too long");
    }
  }
  return Event::done;
}

ResponseReader::Event ResponseReader::Parser::end() {
  if (!fault.empty()) return Event::failed;
  if (is_done()) return Event::done;
  net::error_code error;
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
