// A2B and B2A, of 64 bits.
#include <utility>

#include "sotto/bench/lab/measure/primitives_inputs.h"
#include "sotto/bench/lab/measure/primitives_programs.h"
#include "sotto/core/sharing/bool.h"
#include "sotto/protocols/boolean/open_bool.h"
#include "sotto/protocols/convert/arith_to_bool.h"
#include "sotto/protocols/convert/bool_to_arith.h"

namespace sotto::apps {
namespace {

// Below 2^53 in size, so that errors are exact as doubles.
std::uint64_t pattern(std::size_t i) {
  const std::uint64_t word = ((i + 1) * 0x9e3779b97f4a7c15u) >> 12;
  return i % 2 == 0 ? word : ~word;
}

Task<Arith> shared_pattern(Party& party, Shape shape) {
  const Masked value = co_await masked_pattern(party, shape, 0, pattern);
  co_return value.shares(party);
}

class ToBoolProgram final : public PrimitiveProgram {
 public:
  explicit ToBoolProgram(std::size_t lanes) : shape_{1, lanes} {}
  Task<Unit> prepare(Party& party) override {
    value_ = co_await shared_pattern(party, shape_);
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    copy_ = value_;
  }
  Task<Unit> run(Party& party) override {
    result_ = co_await protocols::arith_to_bool(party, std::move(copy_), "A2B");
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    const std::size_t count = std::min(checked_lanes, shape_.lanes());
    Words words = ShareAccess::words(result_);
    if (!words.empty()) words.resize(count);
    Bool few(Shape{1, count}, result_.width(), std::move(words));
    const Public opened = co_await protocols::open_bool(party, std::move(few), "check");
    double wrong = 0;
    opened.if_known([&](const Words& bits) {
      for (std::size_t i = 0; i < bits.size(); ++i) wrong += bits[i] == pattern(i) ? 0 : 1;
    });
    co_return wrong;
  }
  double tolerance() const override { return 0; }

 private:
  Shape shape_;
  Arith value_, copy_;
  Bool result_;
};

class ToArithProgram final : public PrimitiveProgram {
 public:
  explicit ToArithProgram(std::size_t lanes) : shape_{1, lanes} {}
  Task<Unit> prepare(Party& party) override {
    Arith value = co_await shared_pattern(party, shape_);
    value_ = co_await protocols::arith_to_bool(party, std::move(value), "input bits");
    co_return Unit{};
  }
  void arrange() override {
    result_ = {};
    copy_ = value_;
  }
  Task<Unit> run(Party& party) override {
    result_ = co_await protocols::bool_to_arith(party, std::move(copy_), 64, "B2A");
    co_return Unit{};
  }
  Task<double> error(Party& party) override {
    co_return co_await error_of(party, result_, checked_lanes, [](std::size_t i) {
      return static_cast<double>(to_signed(pattern(i)));
    });
  }
  double tolerance() const override { return 0; }

 private:
  Shape shape_;
  Bool value_, copy_;
  Arith result_;
};

}  // namespace

namespace detail {

std::unique_ptr<PrimitiveProgram> make_conversion_program(const std::string& name,
                                                          std::size_t size) {
  if (name == "a2b") return std::make_unique<ToBoolProgram>(size);
  if (name == "b2a") return std::make_unique<ToArithProgram>(size);
  return nullptr;
}

}  // namespace detail
}  // namespace sotto::apps
