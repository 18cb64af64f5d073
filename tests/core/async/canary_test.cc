// What may stand in an await expression: each object is destroyed exactly once on this compiler. (Aggregates, braced
// lists, capturing lambdas, ?:, && and || may not: g++ 12 destroys them twice.)
#include "sotto/core/async/when_all.h"
#include "tests/core/async/test_executor.h"

namespace sotto::testing {
namespace {

Task<Counted> give(Counted value) { co_return value; }
Task<Counted> plus(Counted a, Counted b) { co_return Counted(a.value() + b.value()); }
Task<int> value_of(const Counted& value) { co_return value.value(); }
Task<bool> below(Counted value, int limit) { co_return value.value() < limit; }
Counted sum(const Counted& a, const Counted& b) { return Counted(a.value() + b.value()); }

Task<int> temporaries() {
  const Counted a = co_await give(Counted(1));
  const Counted b = co_await plus(a, Counted(2));
  const int c = co_await value_of(Counted(3));
  const Counted d = co_await give(sum(b, Counted(c)));
  co_return d.value();  // 6
}

Task<int> nested_calls() {
  const Counted inner = co_await plus(co_await give(Counted(10)), co_await plus(Counted(20), Counted(30)));
  co_return (co_await give(inner)).value() + co_await value_of(co_await give(Counted(40)));  // 100
}

Task<int> bindings() {
  auto [a, b] = co_await when_all(give(Counted(1)), plus(Counted(2), Counted(3)));
  const auto pair = co_await when_all(give(std::move(a)), give(b));
  co_return std::get<0>(pair).value() + std::get<1>(pair).value() + b.value();  // 11
}

Task<int> conditions_and_loops() {
  int count = 0;
  while (co_await below(Counted(count), 5)) ++count;
  for (int i = 0; co_await below(Counted(i), 3); ++i) {
    if (co_await below(sum(Counted(i), Counted(0)), 2)) ++count;
  }
  co_return count;  // 7
}

Task<int> vectors() {
  std::vector<Task<Counted>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(plus(Counted(i), Counted(1)));
  const std::vector<Counted> results = co_await when_all(std::move(tasks));
  int total = 0;
  for (const Counted& result : results) total += result.value();
  co_return total;  // 10
}

using AwaitCanary = CountedLives;

TEST_F(AwaitCanary, TemporariesOfTypesWithConstructors) { EXPECT_EQ(run_to_end(temporaries()), 6); }
TEST_F(AwaitCanary, NestedTaskCalls) { EXPECT_EQ(run_to_end(nested_calls()), 100); }
TEST_F(AwaitCanary, StructuredBindings) { EXPECT_EQ(run_to_end(bindings()), 11); }
TEST_F(AwaitCanary, ConditionsAndLoops) { EXPECT_EQ(run_to_end(conditions_and_loops()), 7); }
TEST_F(AwaitCanary, VectorsOfTasks) { EXPECT_EQ(run_to_end(vectors()), 10); }

TEST(AwaitCanaryItself, SeesASecondDestruction) {
  Counted::wrong() = 0;
  {
    const Counted object(1);
    Counted::alive().erase(&object);  // as if it had been destroyed before
  }
  EXPECT_EQ(Counted::wrong(), 1);
  Counted::wrong() = 0;
}

}  // namespace
}  // namespace sotto::testing
