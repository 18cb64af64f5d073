// Reads requests from the bytes of a connection, in pieces of any size: HTTP/1.1 and 1.0, by Boost.Beast's parser.
//
// The reader refuses every request that two programs could read as two different requests:
// - both Content-Length and Transfer-Encoding, or either of them twice,
// - a coding that is not exactly "chunked",
// - a length that is not digits,
// - chunks under HTTP/1.0,
// - a request of HTTP/1.1 without exactly one Host.
// A length that a client claims allocates no memory.
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
  // The header takes at most `longest_header` bytes, its first line included. The same limit holds for the head of a
  // chunk and for the text after the last chunk.
  explicit RequestReader(std::size_t longest_header);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class Event : std::uint8_t {
    more,    // the reader needs more bytes
    head,    // the header is complete: allow() sets the maximum size of the body
    done,    // the whole request has come
    failed,  // the bytes are no request: fault()
  };
  // Continues with `input` and removes the bytes that it needs no more from the front of `input`. The caller passes the
  // remaining bytes again, together with the bytes that follow. After `done` and `failed` the reader takes no more
  // bytes.
  [[nodiscard]] Event read(std::string_view& input);

  // The header of the request. Valid from the event `head` on.
  [[nodiscard]] const RequestHead& head() const noexcept;
  void allow(std::size_t most_bytes) noexcept;
  // The body as far as it has come. It is complete at the event `done`.
  [[nodiscard]] std::string& body() noexcept;

  // The problem to answer with: 400, 413, 431, 501 or 505. Valid after the event `failed`.
  [[nodiscard]] const Problem& fault() const noexcept;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

// Reads answers from the bytes of a connection: HTTP/1.1 and 1.0, by Boost.Beast's parser.

class ResponseReader {
 public:
  // `most_bytes` limits the body. `head` is set if the request was a HEAD, whose answer has no body.
  ResponseReader(std::size_t most_bytes, bool head);
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;
  ~ResponseReader();

  enum class Event : std::uint8_t { more, done, failed };
  // Takes bytes from the front of `input`. The caller passes the remaining bytes again. Answers with status 1xx are
  // skipped.
  [[nodiscard]] Event read(std::string_view& input);
  // Says that no more bytes will come. An answer without a length is then complete.
  [[nodiscard]] Event end();

  [[nodiscard]] bool begun() const noexcept;  // whether a part of an answer has come
  [[nodiscard]] bool keep_alive() const noexcept;
  [[nodiscard]] unsigned status() const noexcept;
  [[nodiscard]] const std::string& type() const noexcept;  // type of the body
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
