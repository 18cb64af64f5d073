#include "core/random/prg.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "core/error/errors.h"
#include "core/ring/fixed_point.h"

namespace sotto {

static_assert(std::endian::native == std::endian::little,
              "streams are defined little-endian; other machines need byte swaps here");

namespace {

constexpr std::size_t tile_bytes =
    8192;  // with the lanes it is combined into, fits the first cache
constexpr std::size_t first_tile_bytes =
    512;                              // generators that give a few lanes should not pay for a tile
constexpr std::size_t headroom = 64;  // keeps the tile aligned; holds a lane's bytes left over

// What the key stream is added to.
alignas(64) constexpr std::array<unsigned char, tile_bytes> zeros{};

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};

// Looking the algorithm up costs more than keying it, so it is done once and kept.
const EVP_CIPHER* aes() {
  static const EVP_CIPHER* const found = EVP_CIPHER_fetch(nullptr, "AES-128-CTR", nullptr);
  return found;
}

struct Store {
  static std::uint64_t combine(std::uint64_t /*old*/, std::uint64_t fresh) { return fresh; }
};
struct Add {
  static std::uint64_t combine(std::uint64_t old, std::uint64_t fresh) { return old + fresh; }
};
struct Subtract {
  static std::uint64_t combine(std::uint64_t old, std::uint64_t fresh) { return old - fresh; }
};

// Combines `lanes` lanes of sizeof(Raw) bytes at `source` into out; the compiler makes vector code
// of it.
template <class Combine, class Raw>
void combine_lanes(std::uint64_t* out, const std::byte* source, std::size_t lanes,
                   std::uint64_t mask) {
  for (std::size_t i = 0; i < lanes; ++i) {
    Raw raw;
    std::memcpy(&raw, source + i * sizeof(Raw), sizeof(Raw));
    out[i] = Combine::combine(out[i], raw) & mask;
  }
}

}  // namespace

class Prg::Stream {
 public:
  explicit Stream(std::span<const std::byte, Seed::size> key) : context_(EVP_CIPHER_CTX_new()) {
    const std::array<unsigned char, 16> counter{};
    const auto* key_bytes = reinterpret_cast<const unsigned char*>(key.data());
    if (context_ == nullptr ||
        EVP_EncryptInit_ex2(context_.get(), aes(), key_bytes, counter.data(), nullptr) != 1) {
      throw ResourceError(
          "OpenSSL cannot run AES-128-CTR; check that its default provider is installed");
    }
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { OPENSSL_cleanse(buffer_.data(), buffer_.size()); }

  template <class Combine>
  void run(std::span<std::uint64_t> out, unsigned bits) {
    const std::uint64_t mask = ring_mask(bits);
    switch (stream_bytes(bits)) {
      case 1:
        return run_raw<Combine, std::uint8_t>(out, mask);
      case 2:
        return run_raw<Combine, std::uint16_t>(out, mask);
      case 4:
        return run_raw<Combine, std::uint32_t>(out, mask);
      default:
        return run_raw<Combine, std::uint64_t>(out, mask);
    }
  }

  std::uint64_t next() {
    if (end_ - position_ < sizeof(std::uint64_t)) refill();
    std::uint64_t word;
    std::memcpy(&word, buffer_.data() + position_, sizeof(word));
    position_ += sizeof(word);
    return word;
  }

  // What the buffer lacks of a large request is made in place, without the tile.
  void bytes(std::span<std::byte> out) {
    while (!out.empty()) {
      const std::size_t buffered = std::min(out.size(), end_ - position_);
      if (buffered != 0) {
        std::memcpy(out.data(), buffer_.data() + position_, buffered);
        position_ += buffered;
        out = out.subspan(buffered);
      } else if (out.size() >= tile_bytes) {
        expand(out.data(), tile_bytes);
        out = out.subspan(tile_bytes);
      } else {
        refill();
      }
    }
  }

 private:
  template <class Combine, class Raw>
  void run_raw(std::span<std::uint64_t> out, std::uint64_t mask) {
    std::uint64_t* next_out = out.data();
    std::size_t left = out.size();
    while (left != 0) {
      if (end_ - position_ < sizeof(Raw)) refill();
      const std::size_t lanes = std::min(left, (end_ - position_) / sizeof(Raw));
      combine_lanes<Combine, Raw>(next_out, buffer_.data() + position_, lanes, mask);
      position_ += lanes * sizeof(Raw);
      next_out += lanes;
      left -= lanes;
    }
  }

  // Makes the next tile. What was left of the last one, less than a lane, is kept right before it.
  void refill() {
    const std::size_t kept = end_ - position_;
    std::memmove(buffer_.data() + headroom - kept, buffer_.data() + position_, kept);
    expand(buffer_.data() + headroom, next_tile_);
    position_ = headroom - kept;
    end_ = headroom + next_tile_;
    next_tile_ = std::min(2 * next_tile_, tile_bytes);
  }

  void expand(std::byte* out, std::size_t count) {
    int written = 0;
    auto* target = reinterpret_cast<unsigned char*>(out);
    if (EVP_EncryptUpdate(context_.get(), target, &written, zeros.data(),
                          static_cast<int>(count)) != 1) {
      throw ResourceError("OpenSSL failed to run AES-128-CTR");
    }
  }

  std::unique_ptr<EVP_CIPHER_CTX, FreeContext> context_;
  std::size_t position_ = headroom;  // the next byte to give out
  std::size_t end_ = headroom;       // behind the last byte made
  std::size_t next_tile_ = first_tile_bytes;
  alignas(64) std::array<std::byte, headroom + tile_bytes> buffer_;
};

Prg::Prg(const Seed& seed) : stream_(std::make_unique<Stream>(seed.expose())) {}
Prg::Prg(Prg&&) noexcept = default;
Prg& Prg::operator=(Prg&&) noexcept = default;
Prg::~Prg() = default;

Prg::Stream& Prg::stream() {
  if (stream_ == nullptr) throw std::invalid_argument("this generator was moved away");
  return *stream_;
}

void Prg::fill(std::span<std::uint64_t> out, unsigned bits) {
  if (bits == 64) {
    bytes(std::as_writable_bytes(out));
  } else {
    stream().run<Store>(out, bits);
  }
}

void Prg::add_to(std::span<std::uint64_t> out, unsigned bits) { stream().run<Add>(out, bits); }

void Prg::subtract_from(std::span<std::uint64_t> out, unsigned bits) {
  stream().run<Subtract>(out, bits);
}

std::uint64_t Prg::next() { return stream().next(); }

void Prg::bytes(std::span<std::byte> out) { stream().bytes(out); }

std::uint64_t Prg::below(std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("there is no number below 0");
  const std::uint64_t uneven =
      (0 - n) % n;  // 2^64 mod n: the words below it would favour small answers
  std::uint64_t word = next();
  while (word < uneven) word = next();
  return word % n;
}

}  // namespace sotto
