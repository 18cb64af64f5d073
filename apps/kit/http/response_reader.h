// Answers out of the bytes of a connection: HTTP/1.1 and 1.0, by Boost.Beast's parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sotto::apps {

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
