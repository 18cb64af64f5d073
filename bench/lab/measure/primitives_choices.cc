// compare and argmax.
#include <utility>

#include "sotto/bench/lab/measure/primitives_inputs.h"
#include "sotto/bench/lab/measure/primitives_programs.h"
#include "sotto/protocols/compare/argmax.h"
#include "sotto/protocols/compare/below_zero.h"

namespace sotto::apps {
namespace {

constexpr unsigned compared_bits = 32;
constexpr unsigned score_bits = 26;

// [x < 0] for x of 32 bits.
class CompareProgram final : public PrimitiveProgram {
 public:
  explicit CompareProgram(std::size_t lanes) : shape_{1, lanes} {}
  Task<Unit> prepare(Party& party) override {
    x_ = co_await masked_pattern(party, shape_, measured_fraction_bits, compared);
    co_return Unit{};
  }
  void arrange() override { result_ = {}; }
  Task<Unit> run(Party& party) override {
    MaskedIndex index = MaskedIndex::bit_range(x_, 0, compared_bits);
    result_ = co_await protocols::below_zero(
        party, std::move(index), protocols::plan_comparison(compared_bits, 64), 64, "comparison");
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    co_return co_await error_of(
        party, result_, 64, [](std::size_t i) { return to_signed(compared(i)) < 0 ? 1.0 : 0.0; });
  }
  double tolerance() const override { return 0; }

 private:
  // Both signs, small and large, and zero.
  static std::uint64_t compared(std::size_t i) {
    const std::uint64_t size = (i * 2654435761u) % (std::uint64_t{1} << (1 + i % 31));
    return i % 2 == 0 ? size : ~size;
  }
  Shape shape_;
  Masked x_;
  Arith result_;
};

class ArgmaxProgram final : public PrimitiveProgram {
 public:
  explicit ArgmaxProgram(std::size_t arms) : shape_{1, arms} {}
  Task<Unit> prepare(Party& party) override {
    const std::size_t arms = shape_.columns;
    const auto pattern = [arms](std::size_t i) { return score(i, arms); };
    scores_ = co_await masked_pattern(party, shape_, measured_fraction_bits, pattern);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    copy_ = scores_;
  }
  Task<Unit> run(Party& party) override {
    const protocols::ArgmaxOptions options{0, score_bits, {}};
    result_ = co_await protocols::argmax(party, std::move(copy_), options);
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    const std::size_t arms = shape_.columns;
    std::size_t best = 0;
    for (std::size_t i = 1; i < arms; ++i) {
      if (to_signed(score(i, arms)) > to_signed(score(best, arms))) best = i;
    }
    const auto expected = [best](std::size_t i) { return i == best ? 1.0 : 0.0; };
    co_return co_await error_of(party, result_, arms, expected);
  }
  double tolerance() const override { return 0; }

 private:
  // All different: 7919 is prime.
  static std::uint64_t score(std::size_t i, std::size_t arms) {
    return 1000 * ((i * 7919 + arms / 3) % arms) - 5000;
  }
  Shape shape_;
  Masked scores_, copy_;
  Arith result_;
};

}  // namespace

namespace detail {

std::unique_ptr<PrimitiveProgram> make_choice_program(const std::string& name, std::size_t size) {
  if (name == "compare") return std::make_unique<CompareProgram>(size);
  if (name == "argmax") return std::make_unique<ArgmaxProgram>(size);
  return nullptr;
}

}  // namespace detail
}  // namespace sotto::apps
