// The key stream of AES-128 in counter mode, the counter from 0, group after group (256 bytes):
// the source of Prg's tiles. By the kernels of a table of expansion.h, or by OpenSSL where the table has none. The
// round keys are wiped on destruction. Throws ResourceError if OpenSSL is needed and cannot run the cipher.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sotto/core/random/expansion.h"

struct evp_cipher_ctx_st;

namespace sotto {

class KeyStream {
 public:
  KeyStream(std::span<const std::byte, 16> key, const Expansion& table);
  KeyStream(const KeyStream&) = delete;
  KeyStream& operator=(const KeyStream&) = delete;
  ~KeyStream();

  // out = the next groups, as many as fit exactly; its size is a multiple of Expansion::group_bytes.
  void write(std::span<unsigned char> out);

  // Whether combine() may be called: the table combines from registers.
  [[nodiscard]] bool combines() const noexcept { return table_.schedule != nullptr; }
  // out[i] = (out[i] combined with the next word) & mask; a multiple of Expansion::group_words.
  void combine(std::span<std::uint64_t> out, Combine how, std::uint64_t mask);

 private:
  struct FreeContext {
    void operator()(evp_cipher_ctx_st* context) const noexcept;
  };

  const Expansion& table_;
  std::uint64_t group_ = 0;                                           // the next one
  std::array<unsigned char, Expansion::round_key_bytes> round_keys_;  // if the table has a cipher
  std::unique_ptr<evp_cipher_ctx_st, FreeContext> openssl_;           // if it has none
};

}  // namespace sotto
