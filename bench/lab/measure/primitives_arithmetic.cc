// multiply, mask_trunc, reciprocal, exp, matmul and the bare round.
#include <cmath>
#include <utility>

#include "sotto/bench/lab/measure/primitives_inputs.h"
#include "sotto/bench/lab/measure/primitives_programs.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/math/exp.h"
#include "sotto/protocols/math/reciprocal.h"

namespace sotto::apps {
namespace {

constexpr unsigned f = measured_fraction_bits;

// Signed numbers of about 10 and of 20 bits.
std::uint64_t small_word(std::size_t i) { return 500 - i % 1001; }
std::uint64_t wide_word(std::size_t i) { return (i * 7919) % 1000003 - 500001; }
double signed_product(std::size_t i) {
  return static_cast<double>(to_signed(small_word(i) * wide_word(i)));
}

// One word a lane from every party to every other, and nothing else.
class RoundProgram final : public PrimitiveProgram {
 public:
  explicit RoundProgram(std::size_t lanes) : lanes_(lanes) {}
  Task<Unit> prepare(Party& party) override {
    if (party.holds_shares()) words_.assign(lanes_, 1);
    co_return Unit{};
  }
  void arrange() override { sum_ = words_; }
  Task<Unit> run(Party& party) override {
    const Slot slot{"round", SlotKind::open, 64, lanes_};
    co_await Exchange(party.rounds(), slot, words_, sum_);
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    const auto all = static_cast<double>(party.topology().parties());
    co_return sum_.empty() ? 0.0 : std::abs(static_cast<double>(sum_[0]) - all);
  }
  double tolerance() const override { return 0; }

 private:
  std::size_t lanes_;
  Words words_, sum_;
};

class MultiplyProgram final : public PrimitiveProgram {
 public:
  explicit MultiplyProgram(std::size_t lanes) : shape_{1, lanes} {}
  Task<Unit> prepare(Party& party) override {
    const Masked x = co_await masked_pattern(party, shape_, f, small_word);
    const Masked y = co_await masked_pattern(party, shape_, f, wide_word);
    x_ = x.shares(party);
    y_ = y.shares(party);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    x_copy_ = x_;
    y_copy_ = y_;
  }
  Task<Unit> run(Party& party) override {
    result_ =
        co_await protocols::multiply(party, std::move(x_copy_), std::move(y_copy_), "product");
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    co_return co_await error_of(party, result_, checked_lanes, signed_product);
  }
  double tolerance() const override { return 0; }

 private:
  Shape shape_;
  Arith x_, y_, x_copy_, y_copy_, result_;
};

class TruncateProgram final : public PrimitiveProgram {
 public:
  explicit TruncateProgram(std::size_t lanes) : shape_{1, lanes} {}
  Task<Unit> prepare(Party& party) override {
    const Masked x = co_await masked_pattern(party, shape_, f, small_word);
    const Masked y = co_await masked_pattern(party, shape_, f, wide_word);
    product_ = protocols::elementwise(party, x, y);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    copy_ = product_;
  }
  Task<Unit> run(Party& party) override {
    result_ = co_await protocols::mask_trunc(party, std::move(copy_), f, "truncation");
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    co_return co_await error_of(party, result_.shares(party), checked_lanes, [](std::size_t i) {
      return std::ldexp(signed_product(i), -static_cast<int>(f));
    });
  }
  double tolerance() const override { return 1; }

 private:
  Shape shape_;
  Arith product_, copy_;
  Masked result_;
};

// 1 / d for d in [1, 2], to 2^-16.
class ReciprocalProgram final : public PrimitiveProgram {
 public:
  explicit ReciprocalProgram(std::size_t lanes) : shape_{lanes, 1} {}
  Task<Unit> prepare(Party& party) override {
    const Words ones(shape_.lanes(), std::uint64_t{1} << f);
    one_ = Masked::constant(party, shape_, f, ones);
    d_ = co_await masked_pattern(party, shape_, f, divisor);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    one_copy_ = one_;
    d_copy_ = d_;
  }
  Task<Unit> run(Party& party) override {
    result_ =
        co_await protocols::divide(party, std::move(one_copy_), std::move(d_copy_), division_);
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    co_return co_await error_of(party, result_.shares(party), checked_lanes, [](std::size_t i) {
      return std::ldexp(1.0, 2 * f) / static_cast<double>(divisor(i));
    });
  }
  double tolerance() const override { return 24; }  // 2^-16 is 16 units

 private:
  static std::uint64_t divisor(std::size_t i) {
    return (std::uint64_t{1} << f) + (i * 104729) % (std::uint64_t{1} << f);
  }
  Shape shape_;
  protocols::ReciprocalPlan division_ = protocols::plan_reciprocal(2, 0x1p-16, f);
  Masked one_, d_, one_copy_, d_copy_, result_;
};

// exp on [-4, 0].
class ExpProgram final : public PrimitiveProgram {
 public:
  explicit ExpProgram(std::size_t lanes) : shape_{1, lanes} {}
  Task<Unit> prepare(Party& party) override {
    x_ = co_await masked_pattern(party, shape_, f, exponent);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    copy_ = x_;
  }
  Task<Unit> run(Party& party) override {
    result_ = co_await protocols::exp(party, std::move(copy_));
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    co_return co_await error_of(party, result_.shares(party), checked_lanes, [](std::size_t i) {
      const double x = decode(exponent(i), f);
      return std::ldexp(std::pow(1 + x / 256, 256), f);
    });
  }
  double tolerance() const override { return 16; }

 private:
  static std::uint64_t exponent(std::size_t i) {
    return std::uint64_t{0} - (i * 104729) % (std::uint64_t{4} << f);
  }
  Shape shape_;
  Masked x_, copy_, result_;
};

// The product of two shared n x n matrices: both masked in one round.
class MatMulProgram final : public PrimitiveProgram {
 public:
  explicit MatMulProgram(std::size_t n) : shape_{n, n} {}
  Task<Unit> prepare(Party& party) override {
    const Masked x = co_await masked_pattern(party, shape_, f, small_word);
    const Masked y = co_await masked_pattern(party, shape_, f, wide_word);
    x_ = x.shares(party);
    y_ = y.shares(party);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    x_copy_ = x_;
    y_copy_ = y_;
  }
  Task<Unit> run(Party& party) override {
    auto [x, y] = co_await when_all(protocols::mask(party, std::move(x_copy_), "x"),
                                    protocols::mask(party, std::move(y_copy_), "y"));
    result_ = protocols::matmul(party, x, y);
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    const std::size_t n = shape_.rows;
    const auto expected = [n](std::size_t column) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += small_word(k) * wide_word(k * n + column);
      return static_cast<double>(to_signed(sum));
    };
    co_return co_await error_of(party, result_, std::min(n, checked_lanes), expected);
  }
  double tolerance() const override { return 0; }

 private:
  Shape shape_;
  Arith x_, y_, x_copy_, y_copy_, result_;
};

}  // namespace

namespace detail {

std::unique_ptr<PrimitiveProgram> make_arithmetic_program(const std::string& name,
                                                          std::size_t size) {
  if (name == "round") return std::make_unique<RoundProgram>(size);
  if (name == "multiply") return std::make_unique<MultiplyProgram>(size);
  if (name == "mask_trunc") return std::make_unique<TruncateProgram>(size);
  if (name == "reciprocal") return std::make_unique<ReciprocalProgram>(size);
  if (name == "exp") return std::make_unique<ExpProgram>(size);
  if (name == "matmul") return std::make_unique<MatMulProgram>(size);
  return nullptr;
}

}  // namespace detail
}  // namespace sotto::apps
