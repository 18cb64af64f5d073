// Products in rings of w bits by oblivious transfers: each side has one factor, and the result is in additive shares.
//
// Functionality   The sender has words x, and the receiver has words y of b bits. Each side gets a word for each
//                 product.
//                 The two words add up to x y mod 2^w. If width > 1, one y multiplies a row of `width` words x.
// How             Gilboa, "Two Party RSA Key Generation" (CRYPTO 1999): bit i of y chooses whether x 2^i is
//                 transferred, in w - i bits. Each transfer is correlated: from a random transfer of r_0, r_1 the
//                 sender keeps -r_0 and sends x + r_0 - r_1, so the receiver gets r_0 + y_i x. (Asharov, Lindell,
//                 Schneider and Zohner, "More Efficient Oblivious Transfer and Extensions", CCS 2013.)
// Messages        The receiver's request has 16 / k bytes for each of the b transfers of a product, with the k of
//                 extension.h. For each product and each i < b, the sender's reply has w - i bits for each of `width`
//                 words. If w = b = 64 and width = 1, these are 260 bytes a product.
// Views           The sender sees the request, as in extension.h. The receiver sees x masked by r_0 - r_1, and knows
//                 only one of r_0 and r_1.
// Order           Both sides make their calls in the same order. Both sides split a call into the same parts. The
//                 transfers of a part, and the lanes of the reply to the part, are ordered by i, then by product.
// Errors          std::invalid_argument if sizes do not fit, w or b is not 1 to 64, or b > w.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/transfer/extension.h"

namespace sotto {

struct RingProducts {
  std::size_t count;
  std::size_t width = 1;
  unsigned bits = 64;         // w
  unsigned choice_bits = 64;  // b
};

[[nodiscard]] std::size_t product_request_bytes(unsigned k, const RingProducts& products);
[[nodiscard]] std::size_t product_reply_bytes(const RingProducts& products);

// The receiver's first step: writes this side's count * width shares, and the request.
void request_products(ExtensionReceiver& receiver, const RingProducts& products, std::span<const std::uint64_t> y,
                      std::span<std::uint64_t> shares, std::span<std::byte> request);
// The sender's only step: writes this side's shares, and the reply. `x` has count * width words, row by row.
void reply_products(ExtensionSender& sender, const RingProducts& products, std::span<const std::uint64_t> x,
                    std::span<const std::byte> request, std::span<std::uint64_t> shares, std::span<std::byte> reply);
// The receiver's second step: completes the shares of its request.
void finish_products(const RingProducts& products, std::span<const std::uint64_t> y, std::span<const std::byte> reply,
                     std::span<std::uint64_t> shares);

}  // namespace sotto
