#include "bench/lab/measure/primitives.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/math/published.h"
#include "sotto/protocol/math/reciprocal.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::apps::lab {
namespace {

constexpr unsigned f = 20;  // fraction bits
constexpr std::size_t checked_lanes = 8;

template <class Word>
Task<Masked> masked_pattern(Party& party, Shape shape, unsigned scale, Word word) {
  const auto fill = [&](std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word(i);
  };
  protocols::Input input = protocols::input_at(party, 0, shape, scale, fill);
  co_return co_await protocols::share_input(party, 0, std::move(input), "input");
}

template <class Shares>
Words first_words(const Shares& value, std::size_t count) {
  Words words = ShareAccess::words(value);
  if (!words.empty()) words.resize(count);
  return words;
}

template <class Expected>
Task<double> error_of(Party& party, const Arith& value, std::size_t lanes, Expected expected) {
  const unsigned unused = 64 - value.bits();
  lanes = std::min(lanes, value.lanes());
  Arith first(Shape{1, lanes}, value.scale(), first_words(value, lanes), value.bits());
  const Public opened = co_await protocols::open(party, std::move(first), "check");
  double largest = 0;
  opened.if_known([&](const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto got = static_cast<double>(to_signed(words[i] << unused) >> unused);
      largest = std::max(largest, std::abs(got - expected(i)));
    }
  });
  co_return largest;
}

// A primitive is a struct: inputs() shares the inputs once, run() is one repetition and may use up the inputs, and
// error() opens some lanes and returns their largest error.

std::uint64_t small_word(std::size_t i) { return 500 - i % 1001; }
std::uint64_t wide_word(std::size_t i) { return (i * 7919) % 1000003 - 500001; }
double signed_product(std::size_t i) { return static_cast<double>(to_signed(small_word(i) * wide_word(i))); }

struct Factors {
  Masked x, y;
};
Task<Factors> factors(Party& party, Shape shape) {
  Masked x = co_await masked_pattern(party, shape, f, small_word);
  Masked y = co_await masked_pattern(party, shape, f, wide_word);  // g++ 12 cannot compile co_await inside braces
  co_return Factors{std::move(x), std::move(y)};
}

struct ShareFactors {
  Arith x, y;
};
Task<ShareFactors> share_factors(Party& party, Shape shape) {
  const Factors both = co_await factors(party, shape);
  co_return ShareFactors{both.x.shares(party), both.y.shares(party)};
}

struct Round {
  static constexpr double tolerance = 0;
  struct Inputs {
    Words words, sum;
    std::size_t lanes = 0;
  };
  using Result = Words;
  static Task<Inputs> inputs(Party& party, std::size_t lanes) {
    const Words ones(party.holds_shares() ? lanes : 0, 1);
    co_return Inputs{ones, ones, lanes};
  }
  static Task<Words> run(Party& party, Inputs in) {
    const Slot slot{"round", SlotKind::open, 64, in.lanes};
    co_await Exchange(party.rounds(), slot, in.words, in.sum);
    co_return std::move(in.sum);
  }
  static Task<double> error(Party& party, const Words& sum, std::size_t /*lanes*/) {
    const auto all = static_cast<double>(party.topology().parties());
    co_return sum.empty() ? 0.0 : std::abs(static_cast<double>(sum[0]) - all);
  }
};

struct Multiply {
  static constexpr double tolerance = 0;
  using Inputs = ShareFactors;
  using Result = Arith;
  static Task<Inputs> inputs(Party& party, std::size_t lanes) { return share_factors(party, Shape{1, lanes}); }
  static Task<Arith> run(Party& party, Inputs in) {
    return protocols::multiply(party, std::move(in.x), std::move(in.y), "product");
  }
  static Task<double> error(Party& party, const Arith& result, std::size_t /*lanes*/) {
    return error_of(party, result, checked_lanes, signed_product);
  }
};

struct Truncate {
  static constexpr double tolerance = 1;
  using Inputs = Arith;
  using Result = Masked;
  static Task<Arith> inputs(Party& party, std::size_t lanes) {
    const Factors both = co_await factors(party, Shape{1, lanes});
    co_return protocols::elementwise(party, both.x, both.y);
  }
  static Task<Masked> run(Party& party, Arith product) {
    return protocols::mask_trunc(party, std::move(product), f, "truncation");
  }
  static Task<double> error(Party& party, const Masked& result, std::size_t /*lanes*/) {
    co_return co_await error_of(party, result.shares(party), checked_lanes,
                                [](std::size_t i) { return std::ldexp(signed_product(i), -static_cast<int>(f)); });
  }
};

// Computes 1 / d for d in [1, 2], with an error of at most 16 units of the last place.
struct Reciprocal {
  static constexpr double tolerance = 24;
  using Inputs = Factors;  // 1 and d
  using Result = Masked;
  static std::uint64_t divisor(std::size_t i) {
    return (std::uint64_t{1} << f) + (i * 104729) % (std::uint64_t{1} << f);
  }
  static Task<Factors> inputs(Party& party, std::size_t lanes) {
    const Shape shape{lanes, 1};
    Masked one = Masked::constant(party, shape, f, Words(lanes, std::uint64_t{1} << f));
    Masked d = co_await masked_pattern(party, shape, f, divisor);
    co_return Factors{std::move(one), std::move(d)};
  }
  static Task<Masked> run(Party& party, Factors in) {
    static const protocols::ReciprocalPlan plan = protocols::plan_reciprocal(2, 0x1p-16, f);
    return protocols::divide(party, std::move(in.x), std::move(in.y), plan);
  }
  static Task<double> error(Party& party, const Masked& result, std::size_t /*lanes*/) {
    co_return co_await error_of(party, result.shares(party), checked_lanes,
                                [](std::size_t i) { return std::ldexp(1.0, 2 * f) / static_cast<double>(divisor(i)); });
  }
};

// Computes exp(x) for x in [-4, 0].
struct Exp {
  static constexpr double tolerance = 16;
  using Inputs = Masked;
  using Result = Masked;
  static std::uint64_t exponent(std::size_t i) { return std::uint64_t{0} - (i * 104729) % (std::uint64_t{4} << f); }
  static Task<Masked> inputs(Party& party, std::size_t lanes) {
    return masked_pattern(party, Shape{1, lanes}, f, exponent);
  }
  static Task<Masked> run(Party& party, Masked x) { return protocols::exp(party, std::move(x)); }
  static Task<double> error(Party& party, const Masked& result, std::size_t /*lanes*/) {
    co_return co_await error_of(party, result.shares(party), checked_lanes, [](std::size_t i) {
      return std::ldexp(std::pow(1 + decode(exponent(i), f) / 256, 256), f);
    });
  }
};

struct MatMul {
  static constexpr double tolerance = 0;
  using Inputs = ShareFactors;
  using Result = Arith;
  static Task<Inputs> inputs(Party& party, std::size_t n) { return share_factors(party, Shape{n, n}); }
  static Task<Arith> run(Party& party, Inputs in) {
    auto [x, y] =
        co_await when_all(protocols::mask(party, std::move(in.x), "x"), protocols::mask(party, std::move(in.y), "y"));
    co_return protocols::matmul(party, x, y);
  }
  static Task<double> error(Party& party, const Arith& result, std::size_t n) {
    const auto expected = [n](std::size_t column) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += small_word(k) * wide_word(k * n + column);
      return static_cast<double>(to_signed(sum));
    };
    co_return co_await error_of(party, result, std::min(n, checked_lanes), expected);
  }
};

struct Compare {
  static constexpr double tolerance = 0;
  static constexpr unsigned bits = 32;
  using Inputs = Masked;
  using Result = Arith;
  static std::uint64_t compared(std::size_t i) {
    const std::uint64_t size = (i * 2654435761u) % (std::uint64_t{1} << (1 + i % 31));
    return i % 2 == 0 ? size : ~size;
  }
  static Task<Masked> inputs(Party& party, std::size_t lanes) {
    return masked_pattern(party, Shape{1, lanes}, f, compared);
  }
  static Task<Arith> run(Party& party, Masked x) {
    co_return co_await protocols::below_zero(party, MaskedIndex::bit_range(x, 0, bits),
                                             protocols::plan_comparison(bits, 64), 64, "comparison");
  }
  static Task<double> error(Party& party, const Arith& result, std::size_t /*lanes*/) {
    return error_of(party, result, 64, [](std::size_t i) { return to_signed(compared(i)) < 0 ? 1.0 : 0.0; });
  }
};

struct Argmax {
  static constexpr double tolerance = 0;
  using Inputs = Masked;
  using Result = Arith;
  // All scores differ, because 7919 is a prime above the largest number of arms.
  static std::uint64_t score(std::size_t i, std::size_t arms) { return 1000 * ((i * 7919 + arms / 3) % arms) - 5000; }
  static Task<Masked> inputs(Party& party, std::size_t arms) {
    return masked_pattern(party, Shape{1, arms}, f, [arms](std::size_t i) { return score(i, arms); });
  }
  static Task<Arith> run(Party& party, Masked scores) {
    return protocols::argmax(party, std::move(scores), protocols::ArgmaxOptions{0, 26, {}});
  }
  static Task<double> error(Party& party, const Arith& result, std::size_t arms) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < arms; ++i) {
      if (to_signed(score(i, arms)) > to_signed(score(best, arms))) best = i;
    }
    return error_of(party, result, arms, [best](std::size_t i) { return i == best ? 1.0 : 0.0; });
  }
};

struct Choose {
  static constexpr double tolerance = 0;
  static constexpr std::size_t arms = 10;
  using Inputs = Masked;
  using Result = Arith;
  static std::uint64_t score(std::size_t i) { return 1000 * ((i % arms * 7 + i / arms) % arms) - 5000; }
  static bool allowed(std::size_t i) { return i % arms != i / arms % arms; }
  static Task<Masked> inputs(Party& party, std::size_t events) {
    return masked_pattern(party, Shape{events, arms}, f, score);
  }
  static Task<Arith> run(Party& party, Masked scores) {
    protocols::AllowedArms which(scores.lanes());
    for (std::size_t i = 0; i < which.size(); ++i) which[i] = allowed(i) ? 1 : 0;
    return protocols::choose(party, std::move(scores), std::move(which), protocols::ArgmaxOptions{0, 26, {}});
  }
  static bool is_best(std::size_t i) {
    if (!allowed(i)) return false;
    for (std::size_t other = i - i % arms; other < i - i % arms + arms; ++other) {
      if (allowed(other) && to_signed(score(other)) > to_signed(score(i))) return false;
    }
    return true;
  }
  static Task<double> error(Party& party, const Arith& result, std::size_t /*events*/) {
    return error_of(party, result, checked_lanes * arms, [](std::size_t i) { return is_best(i) ? 1.0 : 0.0; });
  }
};

// A pattern of numbers below 2^53 in magnitude, so that errors are exact as doubles.
std::uint64_t wide_pattern(std::size_t i) {
  const std::uint64_t word = ((i + 1) * 0x9e3779b97f4a7c15u) >> 12;
  return i % 2 == 0 ? word : ~word;
}

struct ToBool {
  static constexpr double tolerance = 0;
  using Inputs = Arith;
  using Result = Bool;
  static Task<Arith> inputs(Party& party, std::size_t lanes) {
    const Masked value = co_await masked_pattern(party, Shape{1, lanes}, 0, wide_pattern);
    co_return value.shares(party);
  }
  static Task<Bool> run(Party& party, Arith value) { return protocols::arith_to_bool(party, std::move(value), "A2B"); }
  static Task<double> error(Party& party, const Bool& result, std::size_t lanes) {
    const std::size_t count = std::min(checked_lanes, lanes);
    Bool few(Shape{1, count}, result.width(), first_words(result, count));
    const Public opened = co_await protocols::open_bool(party, std::move(few), "check");
    double wrong = 0;
    opened.if_known([&](const Words& bits) {
      for (std::size_t i = 0; i < bits.size(); ++i) wrong += bits[i] == wide_pattern(i) ? 0 : 1;
    });
    co_return wrong;
  }
};

struct ToArith {
  static constexpr double tolerance = 0;
  using Inputs = Bool;
  using Result = Arith;
  static Task<Bool> inputs(Party& party, std::size_t lanes) {
    Arith value = co_await ToBool::inputs(party, lanes);
    co_return co_await protocols::arith_to_bool(party, std::move(value), "input bits");
  }
  static Task<Arith> run(Party& party, Bool value) {
    return protocols::bool_to_arith(party, std::move(value), 64, "B2A");
  }
  static Task<double> error(Party& party, const Arith& result, std::size_t /*lanes*/) {
    return error_of(party, result, checked_lanes,
                    [](std::size_t i) { return static_cast<double>(to_signed(wide_pattern(i))); });
  }
};

template <class Primitive>
class Program final : public PrimitiveProgram {
 public:
  explicit Program(std::size_t size) : size_(size) {}
  Task<Unit> prepare(Party& party) override {
    inputs_ = co_await Primitive::inputs(party, size_);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    copy_ = inputs_;
  }
  Task<Unit> run(Party& party) override {
    result_ = co_await Primitive::run(party, std::move(copy_));
    co_return Unit{};
  }
  Task<double> error(Party& party) override { return Primitive::error(party, result_, size_); }
  double tolerance() const override { return Primitive::tolerance; }

 private:
  std::size_t size_;
  typename Primitive::Inputs inputs_, copy_;
  typename Primitive::Result result_;
};

template <class Primitive>
std::unique_ptr<PrimitiveProgram> make(std::size_t size) {
  return std::make_unique<Program<Primitive>>(size);
}

}  // namespace

const std::vector<PrimitiveKind>& primitive_kinds() {
  static const std::vector<std::size_t> lanes{1, 10'000, 1'000'000};
  constexpr std::size_t most = std::size_t{1} << 26;
  static const std::vector<PrimitiveKind> kinds{{"round", "lane", lanes, most, make<Round>},
                                                {"multiply", "lane", lanes, most, make<Multiply>},
                                                {"mask_trunc", "lane", lanes, most, make<Truncate>},
                                                {"compare", "lane", lanes, most, make<Compare>},
                                                {"argmax", "arm", {10, 100, 1000}, 4096, make<Argmax>},
                                                {"choose", "event", {1, 64, 1024}, 1 << 20, make<Choose>},
                                                {"reciprocal", "lane", lanes, most, make<Reciprocal>},
                                                {"exp", "lane", lanes, most, make<Exp>},
                                                {"matmul", "row", {256, 1024}, 4096, make<MatMul>},
                                                {"a2b", "lane", lanes, most, make<ToBool>},
                                                {"b2a", "lane", lanes, most, make<ToArith>}};
  return kinds;
}

const PrimitiveKind* find_primitive(std::string_view name) {
  const auto& kinds = primitive_kinds();
  const auto at =
      std::find_if(kinds.begin(), kinds.end(), [&](const PrimitiveKind& kind) { return kind.name == name; });
  return at == kinds.end() ? nullptr : &*at;
}

}  // namespace sotto::apps::lab
