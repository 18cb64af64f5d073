// Bytes of the handshake's frames: little-endian numbers, fixed fields, texts with their length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::net {

// No text in a frame of the handshake is longer, in bytes.
inline constexpr std::size_t longest_text = 64 * 1024;

class Writer {
 public:
  void bytes(std::span<const std::byte> in) { out_.insert(out_.end(), in.begin(), in.end()); }
  void text(std::string_view in) { bytes(std::as_bytes(std::span(in.data(), in.size()))); }
  template <class Number>
  void number(Number value) {
    bytes(std::as_bytes(std::span(&value, 1)));
  }
  void octet(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
  void zeros(std::size_t count) { out_.resize(out_.size() + count); }
  void long_text(std::string_view in) {
    number(static_cast<std::uint32_t>(in.size()));
    text(in);
  }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
};

// Every read is checked; after the first that fails, ok() is false and all others give nothing.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}

  std::span<const std::byte> bytes(std::size_t count) {
    if (count > in_.size()) ok_ = false;
    if (!ok_) return {};
    const auto result = in_.first(count);
    in_ = in_.subspan(count);
    return result;
  }
  template <std::size_t Size>
  std::array<std::byte, Size> array() {
    std::array<std::byte, Size> result{};
    const auto in = bytes(Size);
    std::copy(in.begin(), in.end(), result.begin());
    return result;
  }
  template <class Number>
  Number number() {
    Number value = 0;
    const auto in = bytes(sizeof value);
    if (ok_) std::memcpy(&value, in.data(), sizeof value);
    return value;
  }
  std::uint8_t octet() { return number<std::uint8_t>(); }
  bool flag() {
    const std::uint8_t value = octet();
    if (value > 1) ok_ = false;
    return value == 1;
  }
  void zeros(std::size_t count) {
    for (const std::byte b : bytes(count)) ok_ = ok_ && b == std::byte{0};
  }
  void expect(std::string_view text) {
    const auto in = bytes(text.size());
    if (ok_ && std::memcmp(in.data(), text.data(), text.size()) != 0) ok_ = false;
  }
  std::string long_text(std::size_t longest = longest_text) {
    const std::size_t length = number<std::uint32_t>();
    if (length > longest) ok_ = false;
    const auto in = bytes(length);
    return ok_ ? std::string(reinterpret_cast<const char*>(in.data()), length) : std::string();
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && in_.empty(); }

 private:
  std::span<const std::byte> in_;
  bool ok_ = true;
};

}  // namespace sotto::net
