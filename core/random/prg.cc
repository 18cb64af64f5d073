#include "sotto/protocol/random/prg.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto {
namespace {

alignas(64) constexpr std::array<unsigned char, 4096> zeros{};

// Stores the result, because the look-up of the algorithm takes longer than setting a key.
const EVP_CIPHER* aes() {
  static const EVP_CIPHER* const found = EVP_CIPHER_fetch(nullptr, "AES-128-CTR", nullptr);
  return found;
}

}  // namespace

static_assert(std::endian::native == std::endian::little,
              "streams are defined little-endian; other machines need byte swaps here");

namespace {

constexpr std::size_t tile_bytes = 2048;
constexpr std::size_t first_tile_bytes = Expansion::group_bytes;
constexpr std::size_t headroom = 64;

}  // namespace

class Prg::Stream {
 public:
  Stream(std::span<const std::byte, Seed::size> key, const Expansion& table) : table_(table), stream_(key, table) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { OPENSSL_cleanse(buffer_.data(), written_); }

  void run(std::span<std::uint64_t> out, unsigned bits, Combine how) {
    const std::uint64_t mask = ring_mask(bits);
    const std::size_t lane_bytes = stream_bytes(bits);
    const auto* combine = table_.combine_lanes[static_cast<std::size_t>(how)];
    const auto combine_lanes = combine[std::countr_zero(lane_bytes)];
    while (!out.empty()) {
      if (end_ - position_ < lane_bytes) {
        const std::size_t straight = groups_straight(out.size(), lane_bytes);
        if (straight != 0) {
          stream_.combine(out.first(straight), how, mask);
          out = out.subspan(straight);
          continue;
        }
        refill();
      }
      const std::size_t lanes = std::min(out.size(), (end_ - position_) / lane_bytes);
      combine_lanes(out.data(), buffer_.data() + position_, lanes, mask);
      position_ += lanes * lane_bytes;
      out = out.subspan(lanes);
    }
  }

  std::uint64_t next() {
    if (end_ - position_ < sizeof(std::uint64_t)) refill();
    std::uint64_t word;
    std::memcpy(&word, buffer_.data() + position_, sizeof(word));
    position_ += sizeof(word);
    return word;
  }

  void bytes(std::span<unsigned char> out) {
    while (!out.empty()) {
      const std::size_t buffered = std::min(out.size(), end_ - position_);
      if (buffered != 0) {
        std::memcpy(out.data(), buffer_.data() + position_, buffered);
        position_ += buffered;
        out = out.subspan(buffered);
      } else if (out.size() >= Expansion::group_bytes) {
        const std::size_t whole = out.size() - out.size() % Expansion::group_bytes;
        stream_.write(out.first(whole));
        out = out.subspan(whole);
      } else {
        refill();
      }
    }
  }

 private:
  std::size_t groups_straight(std::size_t lanes, std::size_t lane_bytes) const {
    if (lane_bytes != sizeof(std::uint64_t) || position_ != end_ || !stream_.combines()) return 0;
    return lanes - lanes % Expansion::group_words;
  }

  void refill() {
    const std::size_t kept = end_ - position_;
    std::memmove(buffer_.data() + headroom - kept, buffer_.data() + position_, kept);
    stream_.write(std::span(buffer_).subspan(headroom, next_tile_));
    position_ = headroom - kept;
    end_ = headroom + next_tile_;
    written_ = std::max(written_, end_);
    next_tile_ = std::min(2 * next_tile_, tile_bytes);
  }

  const Expansion& table_;
  KeyStream stream_;
  std::size_t position_ = headroom;
  std::size_t end_ = headroom;
  std::size_t written_ = 0;
  std::size_t next_tile_ = first_tile_bytes;
  alignas(64) std::array<unsigned char, headroom + tile_bytes> buffer_;
};

Prg::Prg(const Seed& seed) : Prg(seed, expansion()) {}
Prg::Prg(const Seed& seed, const Expansion& table) : stream_(std::make_unique<Stream>(seed.expose(), table)) {}
Prg::Prg(Prg&&) noexcept = default;
Prg& Prg::operator=(Prg&&) noexcept = default;
Prg::~Prg() = default;

Prg::Stream& Prg::stream() {
  if (stream_ == nullptr) throw std::invalid_argument("this generator was moved away");
  return *stream_;
}

void Prg::fill(std::span<std::uint64_t> out, unsigned bits) { stream().run(out, bits, Combine::store); }

void Prg::add_to(std::span<std::uint64_t> out, unsigned bits) { stream().run(out, bits, Combine::add); }

void Prg::subtract_from(std::span<std::uint64_t> out, unsigned bits) { stream().run(out, bits, Combine::subtract); }

void Prg::xor_to(std::span<std::uint64_t> out, unsigned bits) { stream().run(out, bits, Combine::exclusive_or); }

std::uint64_t Prg::next() { return stream().next(); }

void Prg::bytes(std::span<std::byte> out) {
  stream().bytes({reinterpret_cast<unsigned char*>(out.data()), out.size()});
}

std::uint64_t Prg::below(std::uint64_t n) {
  return uniform_below(n, [&words = stream()] { return words.next(); });
}

void KeyStream::FreeContext::operator()(evp_cipher_ctx_st* context) const noexcept { EVP_CIPHER_CTX_free(context); }

KeyStream::KeyStream(std::span<const std::byte, 16> key, const Expansion& table) : table_(table) {
  const auto* key_bytes = reinterpret_cast<const unsigned char*>(key.data());
  if (table_.schedule != nullptr) {
    table_.schedule(round_keys_.data(), key_bytes);
    return;
  }
  openssl_.reset(EVP_CIPHER_CTX_new());
  const std::array<unsigned char, 16> counter{};
  if (openssl_ == nullptr || EVP_EncryptInit_ex2(openssl_.get(), aes(), key_bytes, counter.data(), nullptr) != 1) {
    throw ResourceError("OpenSSL cannot run AES-128-CTR; check that its default provider is installed");
  }
}

KeyStream::~KeyStream() {
  if (table_.schedule != nullptr) OPENSSL_cleanse(round_keys_.data(), round_keys_.size());
}

void KeyStream::write(std::span<unsigned char> out) {
  if (table_.write_stream != nullptr) {
    const std::size_t groups = out.size() / Expansion::group_bytes;
    table_.write_stream(out.data(), round_keys_.data(), group_, groups);
    group_ += groups;
    return;
  }
  while (!out.empty()) {
    const std::size_t piece = out.size() < zeros.size() ? out.size() : zeros.size();
    int written = 0;
    if (EVP_EncryptUpdate(openssl_.get(), out.data(), &written, zeros.data(), static_cast<int>(piece)) != 1) {
      throw ResourceError("OpenSSL failed to run AES-128-CTR");
    }
    out = out.subspan(piece);
  }
}

void KeyStream::combine(std::span<std::uint64_t> out, Combine how, std::uint64_t mask) {
  const std::size_t groups = out.size() / Expansion::group_words;
  table_.combine_stream[static_cast<std::size_t>(how)](out.data(), round_keys_.data(), group_, groups, mask);
  group_ += groups;
}

}  // namespace sotto
