// What the types refuse: a case each. WRONG(wrong, right) is `right`, and `wrong` with -DIS_WRONG.
#ifdef IS_WRONG
#define WRONG(wrong, right) wrong
#else
#define WRONG(wrong, right) right
#endif

// Shares cannot be compared: equal shares say nothing about equal values.
#ifdef case_arith_equals_arith
#include "sotto/core/sharing/arith.h"
bool same(const sotto::Arith& x, const sotto::Arith& y) {
  return WRONG(x == y, x.shape() == y.shape());  // refused
}
#endif

// Nor can XOR shares.
#ifdef case_bool_equals_bool
#include "sotto/core/sharing/bool.h"
bool same(const sotto::Bool& x, const sotto::Bool& y) {
  return WRONG(x == y, x.width() == y.width());  // refused
}
#endif

// Additive and XOR shares do not mix: conversion is a protocol.
#ifdef case_arith_plus_bool
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/bool.h"
void sum(const sotto::Arith& x, const sotto::Bool& y) {
  (void)(y ^ y);
  (void)(WRONG(x + y, x + x));  // refused
}
#endif

// Shares and masked values do not add up: a mask or shares() has to be asked for.
#ifdef case_arith_plus_masked
#include "sotto/core/sharing/masked.h"
sotto::Arith sum(const sotto::Arith& x, const sotto::Masked& y, [[maybe_unused]] const sotto::Party& party) {
  return WRONG(x + y, x + y.shares(party));  // refused
}
#endif

// The words of a share are private: ShareAccess is the one way to them.
#ifdef case_arith_raw_words
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/share_access.h"
sotto::Words words(const sotto::Arith& x) {
  return WRONG(x.words_, sotto::ShareAccess::words(x));  // refused
}
#endif

// A product of shares is a protocol, so that its round shows as a co_await.
#ifdef case_arith_times_arith
#include "sotto/core/sharing/arith.h"
sotto::Arith product(const sotto::Arith& x, const sotto::Arith& y) {
  return WRONG(x * y, x + y);  // refused
}
#endif

// A share is no number.
#ifdef case_arith_to_number
#include "sotto/core/sharing/arith.h"
std::uint64_t number(const sotto::Arith& x) {
  return WRONG(static_cast<std::uint64_t>(x), x.lanes());  // refused
}
#endif

// Shares are not printed, by accident or otherwise.
#ifdef case_print_arith
#include <ostream>

#include "sotto/core/sharing/arith.h"
void print(std::ostream& out, const sotto::Arith& x) {
  out << WRONG(x, sotto::to_string(x.shape()));  // refused
}
#endif

// An opened value does not steer the program: not every role has it.
#ifdef case_public_in_if
#include "sotto/core/sharing/public.h"
int branch(const sotto::Public& opened) {
  if (WRONG(opened, opened.lanes() > 0)) return 1;  // refused
  return 0;
}
#endif

// Nor by a comparison.
#ifdef case_public_equals_number
#include "sotto/core/sharing/public.h"
bool same(const sotto::Public& opened) {
  return WRONG(opened == 1, opened.lanes() == 1);  // refused
}
#endif

// Masking a pending product would mask it by something that is not the dealer's mask.
#ifdef case_pending_product_masked
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/mask.h"
using namespace sotto;
Task<Masked> keep(Party& party, PendingProduct value) {
  auto shares = WRONG(value, protocols::materialize(party, value));
  return protocols::mask(party, shares, "pending");  // refused
}
#endif

// A pending product lacks a term of masks: opening it would tell about other masks. It has to be materialized first.
#ifdef case_pending_product_opened
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/open.h"
using namespace sotto;
Task<Public> reveal(Party& party, PendingProduct value) {
  auto shares = WRONG(value, protocols::materialize(party, value));
  return protocols::open(party, shares, "pending");  // refused
}
#endif

// Shares of a correlation are no operand of a product: where parties make the randomness, its pieces are not all there.
#ifdef case_additive_times_mask
#include "sotto/core/party/preprocessing.h"
void term(sotto::Preprocessing& preprocessing, const sotto::BilinearMap& map, const sotto::Mask& x,
          [[maybe_unused]] const sotto::Additive& shares, sotto::Words& sum) {
  preprocessing.product(map, WRONG(shares, x), x, 64, sum);  // refused
}
#endif

// Nor on the other side.
#ifdef case_mask_times_additive
#include "sotto/core/party/preprocessing.h"
void term(sotto::Preprocessing& preprocessing, const sotto::BilinearMap& map, const sotto::Mask& x,
          [[maybe_unused]] const sotto::Additive& shares, sotto::Words& sum) {
  preprocessing.product(map, x, WRONG(shares, x), 64, sum);  // refused
}
#endif

// Nor what a cut or a bit multiplies.
#ifdef case_additive_cut
#include "sotto/core/party/preprocessing.h"
sotto::Additive cut(sotto::Preprocessing& preprocessing, const sotto::BilinearMap& map, const sotto::CarryMask& g,
                    const sotto::Mask& x, [[maybe_unused]] const sotto::Additive& shares) {
  return preprocessing.cut(map, sotto::Operand::left, 20, g, WRONG(shares, x));  // refused
}
#endif
#ifdef case_bit_times_additive
#include "sotto/core/party/preprocessing.h"
sotto::Additive times(sotto::Preprocessing& preprocessing, const sotto::BilinearMap& map, const sotto::BitMask& b,
                      const sotto::Mask& x, [[maybe_unused]] const sotto::Additive& shares) {
  return preprocessing.bit_product(map, b, WRONG(shares, x));  // refused
}
#endif

// A label is a literal: the digest of a round must not depend on what a role knows.
#ifdef case_label_from_runtime
#include "sotto/core/wire/label.h"
std::uint64_t hash([[maybe_unused]] const char* text) {
  return sotto::Label(WRONG(text, "scores")).hash();  // refused
}
#endif

// A seed is moved, never copied: one holder wipes it.
#ifdef case_seed_copied
#include <utility>

#include "sotto/core/random/seed.h"
sotto::Seed hand_on(sotto::Seed& seed) {
  return WRONG(seed, std::move(seed));  // refused
}
#endif

// A task is moved, never copied.
#ifdef case_task_copied
#include <utility>

#include "sotto/core/async/task.h"
sotto::Task<int> hand_on(sotto::Task<int> task) {
  sotto::Task<int> other = WRONG(task, std::move(task));  // refused
  return other;
}
#endif

// A task is awaited once: as an rvalue.
#ifdef case_task_awaited_as_lvalue
#include <utility>

#include "sotto/core/async/task.h"
sotto::Task<int> twice(sotto::Task<int> task) {
  const int value = co_await WRONG(task, std::move(task));  // refused
  co_return 2 * value;
}
#endif

// A task that is not awaited does nothing, so dropping it is an error.
#ifdef case_task_dropped
#include "sotto/core/async/task.h"
sotto::Task<int> one();
sotto::Task<int> caller() {
  WRONG(one(), (void)0);  // refused
  co_return co_await one();
}
#endif
