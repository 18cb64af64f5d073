// Requests out of the bytes of a connection, in pieces of any size: HTTP/1.1 and 1.0, by Boost.Beast's parser.
//
// It refuses what two programs could take for two different requests: both Content-Length and Transfer-Encoding, either
// of them twice, a coding that is not exactly "chunked", a length that is not digits, chunks under HTTP/1.0, a request
// of HTTP/1.1 without exactly one Host. What a client claims about a length allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/kit/http/router.h"

namespace sotto::apps {

class RequestReader {
 public:
  // The header takes at most `longest_header` bytes, its first line included, as do the head of a chunk and what
  // follows the last one.
  explicit RequestReader(std::size_t longest_header);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class Event : std::uint8_t {
    more,    // more bytes are needed
    head,    // the header is whole: allow() says how much of a body may come
    done,    // all of the request has come
    failed,  // what came is no request: fault()
  };
  // Goes on with `input`, off whose front it takes what it needs no more: what is left is to be given again, with what
  // comes after it. After `done` and `failed` nothing is taken any more.
  [[nodiscard]] Event read(std::string_view& input);

  // From `head` on.
  [[nodiscard]] const RequestHead& head() const noexcept;
  void allow(std::size_t most_bytes) noexcept;
  // So far; whole at `done`.
  [[nodiscard]] std::string& body() noexcept;

  // After `failed`: 400, 413, 431, 501 or 505.
  [[nodiscard]] const Problem& fault() const noexcept;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

// Answers out of the bytes of a connection: HTTP/1.1 and 1.0, by Boost.Beast's parser.

class ResponseReader {
 public:
  // `most_bytes` of the body; `head` if the request was a HEAD, whose answer has none.
  ResponseReader(std::size_t most_bytes, bool head);
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;
  ~ResponseReader();

  enum class Event : std::uint8_t { more, done, failed };
  // Takes bytes off the front of `input`; what is left is to be given again. Answers of 1xx are passed over.
  [[nodiscard]] Event read(std::string_view& input);
  // Nothing more comes: an answer without a length is then whole.
  [[nodiscard]] Event end();

  [[nodiscard]] bool begun() const noexcept;  // some of an answer has come
  [[nodiscard]] bool keep_alive() const noexcept;
  [[nodiscard]] unsigned status() const noexcept;
  [[nodiscard]] const std::string& type() const noexcept;  // of the body
  [[nodiscard]] std::string& body() noexcept;
  [[nodiscard]] const std::string& fault() const noexcept;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::size_t most_bytes_;
  bool head_;
  bool begun_ = false;
};

}  // namespace sotto::apps
