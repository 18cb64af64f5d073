// Wrong uses that the types refuse, one use per case. WRONG(wrong, right) expands to `wrong` with -DIS_WRONG, else to
// `right`.
#include <ostream>
#include <utility>

#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"
#include "sotto/protocol/sharing/share_access.h"
#include "sotto/protocol/wire/label.h"

#ifdef IS_WRONG
#define WRONG(wrong, right) wrong
#else
#define WRONG(wrong, right) right
#endif

namespace sotto {

// Whether two shares are equal says nothing about whether the shared values are equal.
namespace arith_equals_arith {
bool same(const Arith& x, const Arith& y) {
  return WRONG(x == y, x.shape() == y.shape());  // refused
}
}  // namespace arith_equals_arith

namespace bool_equals_bool {
bool same(const Bool& x, const Bool& y) {
  return WRONG(x == y, x.width() == y.width());  // refused
}
}  // namespace bool_equals_bool

// The conversion between additive and XOR shares is a protocol.
namespace arith_plus_bool {
void sum(const Arith& x, const Bool& y) {
  (void)(y ^ y);
  (void)(WRONG(x + y, x + x));  // refused
}
}  // namespace arith_plus_bool

namespace arith_plus_masked {
Arith sum(const Arith& x, const Masked& y, [[maybe_unused]] const Party& party) {
  return WRONG(x + y, x + y.shares(party));  // refused
}
}  // namespace arith_plus_masked

// Only ShareAccess can read the words of a share.
namespace arith_raw_words {
Words words(const Arith& x) {
  return WRONG(x.words_, ShareAccess::words(x));  // refused
}
}  // namespace arith_raw_words

// A product of shares is a protocol, and its round must be visible as a co_await in the code.
namespace arith_times_arith {
Arith product(const Arith& x, const Arith& y) {
  return WRONG(x * y, x + y);  // refused
}
}  // namespace arith_times_arith

namespace arith_to_number {
std::uint64_t number(const Arith& x) {
  return WRONG(static_cast<std::uint64_t>(x), x.lanes());  // refused
}
}  // namespace arith_to_number

namespace print_arith {
void print(std::ostream& out, const Arith& x) {
  out << WRONG(x, to_string(x.shape()));  // refused
}
}  // namespace print_arith

// An opened value cannot decide a branch of the program, because not every role has the value.
namespace public_in_if {
int branch(const Public& opened) {
  if (WRONG(opened, opened.lanes() > 0)) return 1;  // refused
  return 0;
}
}  // namespace public_in_if

namespace public_equals_number {
bool same(const Public& opened) {
  return WRONG(opened == 1, opened.lanes() == 1);  // refused
}
}  // namespace public_equals_number

namespace pending_product_masked {
Task<Masked> keep(Party& party, PendingProduct value) {
  auto shares = WRONG(value, protocols::materialize(party, value));
  return protocols::mask(party, shares, "pending");  // refused
}
}  // namespace pending_product_masked

// A pending product lacks a term of masks, so opening it would reveal something about other masks.
namespace pending_product_opened {
Task<Public> reveal(Party& party, PendingProduct value) {
  auto shares = WRONG(value, protocols::materialize(party, value));
  return protocols::open(party, shares, "pending");  // refused
}
}  // namespace pending_product_opened

// Shares that come from a correlation cannot be an operand of a product. Parties without a dealer do not have all the
// pieces that such a product needs.
namespace additive_times_mask {
void term(Preprocessing& preprocessing, const BilinearMap& map, const Mask& x, [[maybe_unused]] const Additive& shares,
          Words& sum) {
  preprocessing.product(map, WRONG(shares, x), x, 64, sum);  // refused
}
}  // namespace additive_times_mask

namespace mask_times_additive {
void term(Preprocessing& preprocessing, const BilinearMap& map, const Mask& x, [[maybe_unused]] const Additive& shares,
          Words& sum) {
  preprocessing.product(map, x, WRONG(shares, x), 64, sum);  // refused
}
}  // namespace mask_times_additive

namespace additive_cut {
Additive cut(Preprocessing& preprocessing, const BilinearMap& map, const CarryMask& g, [[maybe_unused]] const Mask& x,
             [[maybe_unused]] const Additive& shares) {
  return preprocessing.cut(map, Operand::left, 20, g, WRONG(shares, x));  // refused
}
}  // namespace additive_cut
namespace bit_times_additive {
Additive times(Preprocessing& preprocessing, const BilinearMap& map, const BitMask& b, [[maybe_unused]] const Mask& x,
               [[maybe_unused]] const Additive& shares) {
  return preprocessing.bit_product(map, b, WRONG(shares, x));  // refused
}
}  // namespace bit_times_additive

// A label is a literal, because the digest of a round must not depend on what a role knows.
namespace label_from_runtime {
std::uint64_t hash([[maybe_unused]] const char* text) {
  return Label(WRONG(text, "scores")).hash();  // refused
}
}  // namespace label_from_runtime

// A seed is moved, never copied, because exactly one owner must wipe it.
namespace seed_copied {
Seed hand_on(Seed& seed) {
  return WRONG(seed, std::move(seed));  // refused
}
}  // namespace seed_copied

namespace task_copied {
Task<int> hand_on(Task<int> task) {
  Task<int> other = WRONG(task, std::move(task));  // refused
  return other;
}
}  // namespace task_copied

namespace task_awaited_as_lvalue {
Task<int> twice(Task<int> task) {
  const int value = co_await WRONG(task, std::move(task));  // refused
  co_return 2 * value;
}
}  // namespace task_awaited_as_lvalue

// A task that is not awaited does nothing, so dropping it is an error.
namespace task_dropped {
Task<int> one();
Task<int> caller() {
  WRONG(one(), (void)0);  // refused
  co_return co_await one();
}
}  // namespace task_dropped

}  // namespace sotto
