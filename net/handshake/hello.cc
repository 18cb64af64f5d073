#include "net/handshake/hello.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "core/error/errors.h"
#include "net/handshake/parameters.h"

namespace sotto::net {
namespace {

constexpr std::string_view magic = "sotto/hs";

class Writer {
 public:
  void bytes(std::span<const std::byte> in) { out_.insert(out_.end(), in.begin(), in.end()); }
  void text(std::string_view in) { bytes(std::as_bytes(std::span(in.data(), in.size()))); }
  void number(std::uint32_t value) { bytes(std::as_bytes(std::span(&value, 1))); }
  void octet(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
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
  std::uint32_t number() {
    std::uint32_t value = 0;
    const auto in = bytes(sizeof value);
    if (ok_) std::memcpy(&value, in.data(), sizeof value);
    return value;
  }
  std::uint8_t octet() {
    const auto in = bytes(1);
    return ok_ ? static_cast<std::uint8_t>(in[0]) : std::uint8_t{0};
  }
  std::string long_text() {
    const std::size_t length = number();
    if (length > longest_text) ok_ = false;
    const auto in = bytes(length);
    return ok_ ? std::string(reinterpret_cast<const char*>(in.data()), length) : std::string();
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && in_.empty(); }

 private:
  std::span<const std::byte> in_;
  bool ok_ = true;
};

template <std::size_t Size>
std::array<std::byte, Size> array_of(std::span<const std::byte> in) {
  std::array<std::byte, Size> result{};
  if (in.size() == Size) std::copy(in.begin(), in.end(), result.begin());
  return result;
}

}  // namespace

Digest sha256(std::string_view text) {
  Digest digest;
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &length,
                 EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL has no SHA-256");
  }
  return digest;
}

std::uint64_t epoch_digest(const SessionId& session, std::uint32_t epoch) {
  std::string text(reinterpret_cast<const char*>(session.data()), session.size());
  text += fmt::format("epoch {}", epoch);
  const Digest digest = sha256(text);
  std::uint64_t result;
  std::memcpy(&result, digest.data(), sizeof result);
  return result;
}

std::vector<std::byte> encode(const Hello& hello) {
  if (hello.parameters.size() > longest_text || hello.announcement.size() > longest_text) {
    throw InputError(fmt::format("the parameters of a run are longer than {} bytes", longest_text));
  }
  Writer writer;
  writer.text(magic);
  writer.number(hello.version);
  writer.octet(hello.sender);
  writer.octet(hello.parties);
  writer.octet(hello.separate_rewarder ? 1 : 0);
  writer.octet(0);
  writer.bytes(hello.session);
  writer.bytes(sha256(hello.parameters));
  writer.long_text(hello.parameters);
  writer.long_text(hello.announcement);
  return writer.take();
}

std::optional<Hello> decode_hello(std::span<const std::byte> payload) {
  Reader reader(payload);
  const auto start = reader.bytes(magic.size());
  if (!reader.ok() || std::memcmp(start.data(), magic.data(), magic.size()) != 0) return {};
  Hello hello;
  hello.version = reader.number();
  if (!reader.ok()) return {};
  if (hello.version != wire_version) return hello;
  hello.sender = reader.octet();
  hello.parties = reader.octet();
  const std::uint8_t separate = reader.octet();
  const std::uint8_t zero = reader.octet();
  hello.separate_rewarder = separate == 1;
  hello.session = array_of<16>(reader.bytes(16));
  const Digest digest = array_of<32>(reader.bytes(32));
  hello.parameters = reader.long_text();
  hello.announcement = reader.long_text();
  if (!reader.at_end() || separate > 1 || zero != 0) return {};
  if (sha256(hello.parameters) != digest) return {};
  return hello;
}

std::optional<std::string> difference(const Hello& mine, const Hello& theirs,
                                      const std::string& their_name) {
  if (mine.version != theirs.version) {
    return fmt::format("wire version {} here, {} at {}: install the same sotto everywhere",
                       mine.version, theirs.version, their_name);
  }
  if (mine.session != theirs.session) {
    return fmt::format("{} has another session id: one of the two is left over from another run",
                       their_name);
  }
  if (mine.parties != theirs.parties) {
    return fmt::format("parties = {} here, {} at {}", mine.parties, theirs.parties, their_name);
  }
  if (mine.separate_rewarder != theirs.separate_rewarder) {
    return fmt::format("separate_rewarder = {} here, {} at {}", mine.separate_rewarder,
                       theirs.separate_rewarder, their_name);
  }
  return first_difference(mine.parameters, theirs.parameters, their_name);
}

std::vector<std::byte> encode_confirm(const std::string& parameters,
                                      std::span<const std::string> announcements) {
  Writer writer;
  writer.bytes(sha256(parameters));
  for (const std::string& announcement : announcements) writer.bytes(sha256(announcement));
  return writer.take();
}

}  // namespace sotto::net
