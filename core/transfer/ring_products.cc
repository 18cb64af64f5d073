#include "core/transfer/ring_products.h"

#include <algorithm>
#include <array>

#include "core/random/secret_vector.h"
#include "core/wire/bit_pack.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto {
namespace {

using Word = std::uint64_t;

constexpr std::size_t part_words = std::size_t{1} << 14;

void check_shape(const RingProducts& products) {
  require_argument(products.bits >= 1 && products.bits <= 64 && products.choice_bits >= 1 &&
                       products.choice_bits <= products.bits && products.width >= 1,
                   "rings and factors of 1 to 64 bits, rows of at least one word");
}

// A multiple of 8, so that the lanes of every part begin on a byte.
std::size_t product_part(const RingProducts& products) {
  return std::max<std::size_t>(8, part_words / (products.choice_bits * products.width) / 8 * 8);
}

template <class Part>
void in_product_parts(const RingProducts& products, Part part) {
  check_shape(products);
  const std::size_t most = product_part(products);
  for (std::size_t from = 0; from < products.count; from += most) {
    RingProducts some = products;
    some.count = std::min(most, products.count - from);
    part(from, some);
  }
}

std::size_t part_request_bytes(unsigned k, const RingProducts& part) {
  return extension_bytes(k, part.count * part.choice_bits);
}

std::size_t part_reply_bytes(const RingProducts& part) {
  std::size_t bytes = 0;
  for (unsigned i = 0; i < part.choice_bits; ++i) bytes += packed_bytes(part.count * part.width, part.bits - i);
  return bytes;
}

template <class Bytes>
Bytes cut_off(Bytes& bytes, std::size_t count) {
  const Bytes first = bytes.first(count);
  bytes = bytes.subspan(count);
  return first;
}

// `place` counts bits. `out` must have one more word after the word of bit `place`.
void put_bits(SecretVector<Word>& out, std::size_t place, Word bits) {
  out[place / 64] |= bits << place % 64;
  out[place / 64 + 1] |= bits >> 1 >> (63 - place % 64);
}

SecretVector<Word> bits_of_all(const RingProducts& part, std::span<const Word> y) {
  constexpr std::size_t groups = TransferKernels::group / 64;
  constexpr std::size_t at_once = groups * TransferKernels::columns;
  SecretVector<Word> choices((part.count * part.choice_bits + 63) / 64 + 1);
  std::array<Bits128, TransferKernels::group> rows;
  const WipeAtExit rows_wiped(rows);
  std::array<Word, at_once> columns;
  const WipeAtExit columns_wiped(columns);
  for (std::size_t from = 0; from < y.size(); from += at_once) {
    columns.fill(0);
    const std::size_t count = std::min(at_once, y.size() - from);
    for (std::size_t p = 0; p < count; ++p) {
      columns[p % TransferKernels::columns * groups + p / TransferKernels::columns] = y[from + p];
    }
    transfer_kernels().transpose(reinterpret_cast<unsigned char*>(rows.data()), columns.data(), groups, 1);
    for (unsigned i = 0; i < part.choice_bits; ++i) {
      for (std::size_t p = 0; p < count; p += 64) {
        const Bits128& row = rows[p / TransferKernels::columns * 64 + i];
        put_bits(choices, i * part.count + from + p, row.word[p / 64 % 2]);
      }
    }
  }
  choices.pop_back();
  return choices;
}

void add_chosen(const RingProducts& part, const Word* y, unsigned i, const Word* lanes, Word* share) {
  if (part.width == 1) {
    for (std::size_t p = 0; p < part.count; ++p) share[p] += (lanes[p] & (0 - (y[p] >> i & 1))) << i;
    return;
  }
  for (std::size_t p = 0; p < part.count; ++p) {
    const Word mask = 0 - (y[p] >> i & 1);
    for (std::size_t j = p * part.width; j < (p + 1) * part.width; ++j) share[j] += (lanes[j] & mask) << i;
  }
}

void check_sizes(const RingProducts& products, std::size_t shares, std::size_t factors, std::size_t expected) {
  require_argument(shares == products.count * products.width && factors == expected,
                   "a share for each word, a factor for each product");
}

}  // namespace

std::size_t product_request_bytes(unsigned k, const RingProducts& products) {
  std::size_t bytes = 0;
  in_product_parts(products, [&](std::size_t, const RingProducts& part) { bytes += part_request_bytes(k, part); });
  return bytes;
}

std::size_t product_reply_bytes(const RingProducts& products) {
  std::size_t bytes = 0;
  in_product_parts(products, [&](std::size_t, const RingProducts& part) { bytes += part_reply_bytes(part); });
  return bytes;
}

void request_products(ExtensionReceiver& receiver, const RingProducts& products, std::span<const Word> y,
                      std::span<Word> shares, std::span<std::byte> request) {
  check_sizes(products, shares.size(), y.size(), products.count);
  require_argument(request.size() == product_request_bytes(receiver.k(), products), "a request of its bytes");
  std::fill(shares.begin(), shares.end(), 0);
  SecretVector<Word> chosen;
  in_product_parts(products, [&](std::size_t from, const RingProducts& part) {
    const std::size_t lanes = part.count * part.width;
    chosen.resize(lanes * part.choice_bits);
    receiver.random(bits_of_all(part, y.subspan(from, part.count)), part.width, chosen,
                    cut_off(request, part_request_bytes(receiver.k(), part)));
    Word* share = shares.data() + from * part.width;
    for (unsigned i = 0; i < part.choice_bits; ++i) {
      const Word* r = chosen.data() + i * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane) share[lane] += r[lane] << i;
    }
  });
}

void reply_products(ExtensionSender& sender, const RingProducts& products, std::span<const Word> x,
                    std::span<const std::byte> request, std::span<Word> shares, std::span<std::byte> reply) {
  check_sizes(products, shares.size(), x.size(), products.count * products.width);
  require_argument(
      request.size() == product_request_bytes(sender.k(), products) && reply.size() == product_reply_bytes(products),
      "a request and a reply of their bytes");
  std::fill(shares.begin(), shares.end(), 0);
  SecretVector<Word> zero;
  SecretVector<Word> one;
  in_product_parts(products, [&](std::size_t from, const RingProducts& part) {
    const std::size_t lanes = part.count * part.width;
    zero.resize(lanes * part.choice_bits);
    one.resize(lanes * part.choice_bits);
    sender.random(cut_off(request, part_request_bytes(sender.k(), part)), part.width, zero, one);
    const Word* factor = x.data() + from * part.width;
    Word* share = shares.data() + from * part.width;
    for (unsigned i = 0; i < part.choice_bits; ++i) {
      const Word* r0 = zero.data() + i * lanes;
      Word* r1 = one.data() + i * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        share[lane] -= r0[lane] << i;
        r1[lane] = factor[lane] + r0[lane] - r1[lane];
      }
      const unsigned bits = part.bits - i;
      pack({r1, lanes}, bits, cut_off(reply, packed_bytes(lanes, bits)).data());
    }
  });
  for (Word& share : shares) share &= ring_mask(products.bits);
}

void finish_products(const RingProducts& products, std::span<const Word> y, std::span<const std::byte> reply,
                     std::span<Word> shares) {
  check_sizes(products, shares.size(), y.size(), products.count);
  require_argument(reply.size() == product_reply_bytes(products), "a reply of its bytes");
  SecretVector<Word> sent;
  in_product_parts(products, [&](std::size_t from, const RingProducts& part) {
    const std::size_t lanes = part.count * part.width;
    sent.resize(lanes);
    for (unsigned i = 0; i < part.choice_bits; ++i) {
      const unsigned bits = part.bits - i;
      unpack(cut_off(reply, packed_bytes(lanes, bits)).data(), bits, sent);
      add_chosen(part, y.data() + from, i, sent.data(), shares.data() + from * part.width);
    }
  });
  for (Word& share : shares) share &= ring_mask(products.bits);
}

}  // namespace sotto
