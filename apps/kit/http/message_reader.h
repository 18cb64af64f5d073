// Reads requests of HTTP/1.1 and 1.0 from the bytes of a connection. The reader refuses every request that two programs
// could understand as two different requests:
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
  // `longest_header` limits the header, the head of a chunk, and the text after the last chunk.
  explicit RequestReader(std::size_t longest_header);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class Event : std::uint8_t {
    more,
    head,  // call allow() next
    done,
    failed,  // see fault()
  };
  // Removes the used bytes from the front of `input`.
  [[nodiscard]] Event read(std::string_view& input);

  [[nodiscard]] const RequestHead& head() const noexcept;
  void allow(std::size_t most_bytes) noexcept;
  [[nodiscard]] std::string& body() noexcept;

  // The problem of a bad request, with status 400, 413, 431, 501 or 505.
  [[nodiscard]] const Problem& fault() const noexcept;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

class ResponseReader {
 public:
  // `head` is true for the answer to a HEAD request, which has no body.
  ResponseReader(std::size_t most_bytes, bool head);
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;
  ~ResponseReader();

  enum class Event : std::uint8_t { more, done, failed };
  // Answers with status 1xx are skipped.
  [[nodiscard]] Event read(std::string_view& input);
  // The end of the bytes completes an answer without a length.
  [[nodiscard]] Event end();

  [[nodiscard]] bool begun() const noexcept;
  [[nodiscard]] bool keep_alive() const noexcept;
  [[nodiscard]] unsigned status() const noexcept;
  [[nodiscard]] const std::string& type() const noexcept;
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
