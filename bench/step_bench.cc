// Measures the arithmetic that every implementation of the private bandit's protocol needs for a step. The kernels run
// over the sizes of one step with 20 features and 10 arms, in one loop, without engine, messages or allocations.
//
// Parts of a step with fewer than 200 lanes are left out. The names W, w, u, v, o and x are those of
// apps/bandit/model/program/private_bandit.h.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/run/result/link_model.h"
#include "core/ring/kernels.h"
#include "core/wire/bit_pack.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t features = 20;
constexpr std::size_t arms = 10;
constexpr std::size_t lanes = arms * features;                         // lanes in each of u, v, o u, o v, o x and w
constexpr std::size_t entries = arms * features * (features + 1) / 2;  // of W
constexpr std::size_t pairs = arms * (arms - 1) / 2;

struct Draw {
  std::size_t count;
  unsigned bits;
  bool dealt;
};

class StepWork {
 public:
  StepWork() : plan_(*even_plan(2, features, arms, 3000).step) {
    const unsigned cut_W = 2 * plan_.product_bits + 1 - plan_.inverse_bits;
    const unsigned cut_u = plan_.inverse_bits + plan_.context_bits - plan_.product_bits;
    cut_ = cut_W;
    draws_ = {{entries + 3 * lanes, 64, false},  // pads of W, u, v and w
              {entries + 3 * lanes, 64, true},   // masks of W, u, v and w
              {entries, cut_W, true},            // top bits of W
              {3 * lanes, cut_u, true},
              {3 * lanes, 64, false},                     // masks of o u, o v and o x
              {3 * lanes, 64, true},                      // terms of the masks of o u, o v and o x
              {arms * features * features, cut_W, true},  // terms of W x from the top bits of W
              {4 * lanes, cut_u, true}};                  // terms of u x, o u, o v and v from the top bits of u and v
    const auto tables = protocols::plan_comparison(plan_.comparison_bits, 4);
    for (unsigned i = 0; i < tables.digits; ++i) {
      table_bytes_ += pairs << tables.widths[i];
    }
    table_bytes_ += pairs << (tables.digits - 1);
    std::size_t most = 0;
    for (const Draw& draw : draws_) most = std::max(most, draw.count);
    for (Words* words : {&a_, &b_, &c_, &d_}) words->assign(most, 0x9e3779b97f4a7c15);
    packed_.resize(8 * most);
    tables_.resize(table_bytes_);
  }

  void draw_as_first() {
    for (const Draw& draw : draws_) prg_.fill(std::span(a_).first(draw.count), draw.bits);
    prg_.bytes(tables_);
  }
  void draw_as_last() {
    for (const Draw& draw : draws_) {
      if (draw.dealt) {
        unpack(packed_.data(), draw.bits, std::span(a_).first(draw.count));
      } else {
        prg_.fill(std::span(a_).first(draw.count), draw.bits);
      }
    }
  }
  void multiply() {
    const Kernels& k = kernels();
    constexpr std::size_t triangle = entries / arms;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      std::uint64_t* out = c_.data() + arm * features;
      const std::uint64_t* W = a_.data() + arm * triangle;
      k.symmetric_matvec_add(out, W, b_.data(), features);
      k.symmetric_matvec_add(out, b_.data() + arm * triangle, a_.data(), features);
      k.symmetric_pairs_add(out, W, d_.data() + arm * features * features, features);
      const std::uint64_t* u = a_.data() + arm * features;
      const std::uint64_t* v = b_.data() + arm * features;
      k.symmetric_outer_sum(c_.data() + arm * triangle, u, v, v, u, features);
    }
    k.masked_scale_add(c_.data(), 2, a_.data(), b_.data(), 1, entries);
    // The six products are u x, v, o u, o v, o x and w.
    for (int i = 0; i < 6; ++i) k.masked_multiply(c_.data(), a_.data(), b_.data(), d_.data(), a_.data(), 1, lanes);
    for (int i = 0; i < 4; ++i) k.multiply_add(c_.data(), a_.data(), b_.data(), lanes);
  }
  void open_and_truncate() {
    const Kernels& k = kernels();
    k.add(c_.data(), a_.data(), entries + 6 * lanes);
    k.truncate_opened(c_.data(), b_.data(), d_.data(), cut_, entries + 3 * lanes);
  }

  [[nodiscard]] const Words& result() const { return c_; }

 private:
  StepPlan plan_;
  unsigned cut_ = 1;
  std::vector<Draw> draws_;
  std::size_t table_bytes_ = 0;
  Prg prg_{Seed::insecure_from_number(1)};
  Words a_, b_, c_, d_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> tables_;
};

template <class Part>
void repeat(benchmark::State& state, Part part) {
  StepWork work;
  for (auto _ : state) {
    part(work);
    benchmark::DoNotOptimize(work.result().data());
    benchmark::ClobberMemory();
  }
}

void step_first_party(benchmark::State& state) {
  repeat(state, [](StepWork& work) {
    work.draw_as_first();
    work.multiply();
    work.open_and_truncate();
  });
}
BENCHMARK(step_first_party)->Unit(benchmark::kMicrosecond);

void step_last_party(benchmark::State& state) {
  repeat(state, [](StepWork& work) {
    work.draw_as_last();
    work.multiply();
    work.open_and_truncate();
  });
}
BENCHMARK(step_last_party)->Unit(benchmark::kMicrosecond);

void step_draws_of_first(benchmark::State& state) {
  repeat(state, [](StepWork& work) { work.draw_as_first(); });
}
BENCHMARK(step_draws_of_first)->Unit(benchmark::kMicrosecond);

void step_draws_of_last(benchmark::State& state) {
  repeat(state, [](StepWork& work) { work.draw_as_last(); });
}
BENCHMARK(step_draws_of_last)->Unit(benchmark::kMicrosecond);

void step_products(benchmark::State& state) {
  repeat(state, [](StepWork& work) { work.multiply(); });
}
BENCHMARK(step_products)->Unit(benchmark::kMicrosecond);

void step_truncations(benchmark::State& state) {
  repeat(state, [](StepWork& work) { work.open_and_truncate(); });
}
BENCHMARK(step_truncations)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sotto::apps
