// Reads requests of HTTP/1.1 and 1.0 from the bytes of a connection, in pieces of any size. The reader uses the parser
// of Boost.Beast.
//
// The reader refuses every request that two programs could understand as two different requests:
// - both Content-Length and Transfer-Encoding, or one of the two fields twice,
// - a Transfer-Encoding that is not exactly "chunked",
// - a Content-Length that is not digits,
// - chunks under HTTP/1.0,
// - a request of HTTP/1.1 without exactly one Host.
// The reader allocates memory only for bytes that have arrived, whatever length a client claims.
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
  // A header may have at most `longest_header` bytes, its first line included. `longest_header` also limits the head of
  // a chunk and the text after the last chunk.
  explicit RequestReader(std::size_t longest_header);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class Event : std::uint8_t {
    more,    // the reader needs more input
    head,    // the header is complete; allow() must set the maximum size of the body
    done,    // the request is complete
    failed,  // the bytes are no valid request; fault() says why
  };
  // Reads `input` and removes the used bytes from the front of `input`. The caller passes the remaining bytes again,
  // together with the bytes that follow them. After the events `done` and `failed` the reader accepts no more bytes.
  [[nodiscard]] Event read(std::string_view& input);

  // The header of the request, which is complete from the event `head` on.
  [[nodiscard]] const RequestHead& head() const noexcept;
  void allow(std::size_t most_bytes) noexcept;
  // The part of the body that has arrived so far. The body is complete at the event `done`.
  [[nodiscard]] std::string& body() noexcept;

  // The problem that answers a bad request, with status 400, 413, 431, 501 or 505. The problem is valid after the event
  // `failed`.
  [[nodiscard]] const Problem& fault() const noexcept;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

// Reads answers of HTTP/1.1 and 1.0 from the bytes of a connection. The reader uses the parser of Boost.Beast.

class ResponseReader {
 public:
  // `most_bytes` limits the body. `head` must be true for the answer to a HEAD request, because such an answer has no
  // body.
  ResponseReader(std::size_t most_bytes, bool head);
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;
  ~ResponseReader();

  enum class Event : std::uint8_t { more, done, failed };
  // Reads bytes and removes them from the front of `input`. The caller passes the remaining bytes again. The reader
  // skips answers with status 1xx.
  [[nodiscard]] Event read(std::string_view& input);
  // The caller calls end() when no more bytes will come. The end of the bytes completes an answer without a length.
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
