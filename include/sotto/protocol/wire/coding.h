// Messages as bytes: little-endian numbers, fields of fixed size, and texts and lists, each after its length.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {

static_assert(std::endian::native == std::endian::little, "fields are copied as they are");

// The longest text, in bytes, unless the reader sets another limit.
inline constexpr std::size_t longest_text = 64 * 1024;

class ByteWriter {
 public:
  explicit ByteWriter(std::size_t expected = 0) { out_.reserve(expected); }

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
  template <class Number>
  void numbers(std::span<const Number> values) {
    number(std::uint64_t{values.size()});
    bytes(std::as_bytes(values));
  }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
};

// After the first read that fails, ok() is false and all later reads return nothing.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> in) : in_(in) {}

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
  // The length of a list with `entry` bytes per entry, checked against the bytes that are left, so that a false length
  // allocates nothing.
  std::size_t length(std::size_t entry) {
    const auto count = number<std::uint64_t>();
    if (count > in_.size() / entry) ok_ = false;
    return ok_ ? static_cast<std::size_t>(count) : 0;
  }
  template <class Number>
  std::vector<Number> numbers() {
    std::vector<Number> values(length(sizeof(Number)));
    const auto in = bytes(values.size() * sizeof(Number));
    if (!in.empty()) std::memcpy(values.data(), in.data(), in.size());
    return values;
  }
  [[nodiscard]] std::size_t left() const { return in_.size(); }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && in_.empty(); }

 private:
  std::span<const std::byte> in_;
  bool ok_ = true;
};

}  // namespace sotto
