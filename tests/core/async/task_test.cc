#include "sotto/protocol/async/task.h"

#include <new>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/when_all.h"
#include "tests/core/async/test_executor.h"
#include "tests/framework.h"

namespace sotto::testing {
namespace {

Task<int> ready(int value) { co_return value; }

Task<std::string> noted(std::string& trace, char name, Gate& gate, int waits) {
  trace += name;
  for (int i = 0; i < waits; ++i) {
    co_await gate;
    trace += name;
  }
  co_return std::string(1, name);
}

TEST(TaskIsLazy, NothingRunsBeforeItIsAwaited) {
  TestExecutor executor;
  Gate gate(executor);
  std::string trace;
  {
    const Task<std::string> never = noted(trace, 'a', gate, 0);
    EXPECT_FALSE(never.done());
  }
  EXPECT_EQ(trace, "");
}

Task<std::string> nested(std::string& trace, Gate& gate) {
  trace += '(';
  const std::string inner = co_await noted(trace, 'a', gate, 1);
  trace += ')';
  co_return inner + inner;
}

Task<std::string> tree(std::string& trace, Gate& gate) {
  auto [first, second, third] =
      co_await when_all(nested(trace, gate), noted(trace, 'b', gate, 2), noted(trace, 'c', gate, 0));
  co_return first + second + third;
}

TEST(TaskOrder, IsDepthFirstInArgumentOrderAndResumesInTheOrderOfWaiting) {
  TestExecutor executor;
  Gate gate(executor);
  std::string trace;
  Task<std::string> root = tree(trace, gate);
  root.start_on(executor);
  executor.run_ready();
  EXPECT_EQ(trace, "(abc");
  EXPECT_EQ(gate.waiting(), 2u);
  gate.open_gate();
  executor.run_ready();
  EXPECT_EQ(trace, "(abca)b");
  EXPECT_FALSE(root.done());
  gate.open_gate();
  executor.run_ready();
  EXPECT_EQ(trace, "(abca)bb");
  ASSERT_TRUE(root.done());
  EXPECT_EQ(root.take(), "aabc");
}

Task<std::string> row(std::string& trace, Gate& gate, std::string names) {
  std::vector<Task<std::string>> tasks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    tasks.push_back(noted(trace, names[i], gate, static_cast<int>(names.size() - i)));
  }
  const std::vector<std::string> results = co_await when_all(std::move(tasks));
  std::string all;
  for (const std::string& result : results) all += result;
  co_return all;
}

TEST(WhenAllVector, ReturnsInArgumentOrderWhoeverEndsFirst) {
  TestExecutor executor;
  Gate gate(executor);
  std::string trace;
  Task<std::string> root = row(trace, gate, "abcd");
  root.start_on(executor);
  executor.run_ready();
  int opened = 0;
  for (; !root.done(); ++opened) {
    gate.open_gate();
    executor.run_ready();
  }
  EXPECT_EQ(opened, 4);
  EXPECT_EQ(trace, "abcdabcdabcaba");
  EXPECT_EQ(root.take(), "abcd");
}

Task<void> set(int& where) {
  where = 7;
  co_return;
}

Task<int> empties(int& where) {
  std::vector<Task<int>> none;
  const std::vector<int> nothing = co_await when_all(std::move(none));
  const std::tuple<> nobody = co_await when_all();
  static_cast<void>(nobody);
  auto [unit, five] = co_await when_all(set(where), ready(5));
  static_cast<void>(unit);
  std::vector<Task<void>> voids;
  voids.push_back(set(where));
  const std::vector<Unit> units = co_await when_all(std::move(voids));
  co_return five + static_cast<int>(nothing.size() + units.size());
}

TEST(WhenAll, OfNothingIsReadyAndOfVoidGivesAUnit) {
  int where = 0;
  EXPECT_EQ(run_to_end(empties(where)), 6);
  EXPECT_EQ(where, 7);
}

Task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }

Task<int> moves() {
  std::unique_ptr<int> one = co_await owned(1);
  auto [two, three] = co_await when_all(owned(2), owned(3));
  co_return *one + *two + *three;
}

TEST(Task, CarriesResultsThatOnlyMove) { EXPECT_EQ(run_to_end(moves()), 6); }

Task<long> many(long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += co_await ready(1);
  co_return sum;
}

Task<int> chain(int depth) {
  if (depth == 0) co_return 0;
  const int below = co_await chain(depth - 1);
  co_return below + 1;
}

TEST(TaskStack, DoesNotGrowWithReadyTasksOrDepth) {
  EXPECT_EQ(run_to_end(many(1'000'000)), 1'000'000);
  EXPECT_EQ(run_to_end(chain(100'000)), 100'000);
}

Task<int> throwing(const Counted held, Gate& gate) {
  co_await gate;
  if (held.value() == 1) throw std::runtime_error("child 1");
  co_await gate;
  co_return held.value();
}

Task<int> parent(const Counted held, Gate& gate, int& resumed) {
  auto [a, b, c] =
      co_await when_all(throwing(Counted(0), gate), throwing(Counted(1), gate), throwing(Counted(2), gate));
  ++resumed;
  co_return a + b + c + held.value();
}

using TaskFailure = CountedLives;

TEST_F(TaskFailure, EndsTheProgramAndDestroysEverythingOnce) {
  int resumed = 0;
  TestExecutor executor;
  Gate gate(executor);
  Task<int> root = parent(Counted(5), gate, resumed);
  root.start_on(executor);
  executor.run_ready();
  EXPECT_EQ(gate.waiting(), 3u);
  gate.open_gate();
  EXPECT_THROW(executor.run_ready(), std::runtime_error);
  EXPECT_EQ(gate.waiting(), 1u);
  EXPECT_NO_THROW(executor.run_ready());
  EXPECT_FALSE(root.done());
  EXPECT_FALSE(Counted::alive().empty());
  EXPECT_EQ(resumed, 0);
}

Task<int> deep_failure(int depth, const Counted held) {
  if (depth == 0) throw std::invalid_argument("at the bottom");
  const int below = co_await deep_failure(depth - 1, Counted(depth));
  co_return below + held.value();
}

TEST_F(TaskFailure, ComesUpFromAnyDepthOfVectors) {
  const auto program = []() -> Task<int> {
    std::vector<Task<int>> tasks;
    tasks.push_back(ready(1));
    tasks.push_back(deep_failure(20, Counted(0)));
    tasks.push_back(deep_failure(30, Counted(0)));
    const std::vector<int> results = co_await when_all(std::move(tasks));
    co_return results.front();
  };
  EXPECT_THROW(run_to_end(program()), std::invalid_argument);
}

// The tests check that the compiler destroys each object of the await expressions below exactly once. g++ 12 destroys
// the objects of aggregates, braced lists, capturing lambdas, ?:, && and || twice.

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
  co_return d.value();
}

Task<int> nested_calls() {
  const Counted inner = co_await plus(co_await give(Counted(10)), co_await plus(Counted(20), Counted(30)));
  co_return (co_await give(inner)).value() + co_await value_of(co_await give(Counted(40)));
}

Task<int> bindings() {
  auto [a, b] = co_await when_all(give(Counted(1)), plus(Counted(2), Counted(3)));
  const auto pair = co_await when_all(give(std::move(a)), give(b));
  co_return std::get<0>(pair).value() + std::get<1>(pair).value() + b.value();
}

Task<int> conditions_and_loops() {
  int count = 0;
  while (co_await below(Counted(count), 5)) ++count;
  for (int i = 0; co_await below(Counted(i), 3); ++i) {
    if (co_await below(sum(Counted(i), Counted(0)), 2)) ++count;
  }
  co_return count;
}

Task<int> vectors() {
  std::vector<Task<Counted>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(plus(Counted(i), Counted(1)));
  const std::vector<Counted> results = co_await when_all(std::move(tasks));
  int total = 0;
  for (const Counted& result : results) total += result.value();
  co_return total;
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
    Counted::alive().erase(&object);  // as if the object had been destroyed before
  }
  EXPECT_EQ(Counted::wrong(), 1);
  Counted::wrong() = 0;
}

TEST(Pool, GivesAlignedBlocksOfAnySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33},
                                 std::size_t{4096}, std::size_t{1} << 20, (std::size_t{64} << 20) + 1}) {
    auto* block = static_cast<unsigned char*>(pool_allocate(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0u);
    if (size > 0) {
      block[0] = 1;
      block[size - 1] = 2;
    }
    pool_release(block, size);
  }
}

TEST(Pool, GivesABlockBackToTheNextOfItsClassOnly) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers see each block";
  void* block = pool_allocate(100);
  pool_release(block, 100);
  void* larger = pool_allocate(200);
  EXPECT_NE(larger, block);
  void* same_class = pool_allocate(65);  // blocks of 65 to 128 bytes are one size class
  EXPECT_EQ(same_class, block);
  pool_release(larger, 200);
  pool_release(same_class, 65);
}

TEST(Pool, TakesBlocksOfOtherThreads) {
  Words words(1000, 7);
  std::thread([moved = std::move(words)]() mutable { moved.clear(); }).join();
  Words again(1000, 9);
  EXPECT_EQ(again[999], 9u);
}

TEST(Words, AreNotInitialisedWhenTheyGrowButAreWhenAsked) {
  Words words(8, 3);
  words.resize(16, 0);
  EXPECT_EQ(words[7], 3u);
  EXPECT_EQ(words[15], 0u);
}

TEST(LargeBlocks, AreAlignedAndWritableFromEndToEnd) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, (std::size_t{2} << 20) - 1, std::size_t{2} << 20,
                                  (std::size_t{9} << 20) + 5}) {
    void* block = map_large(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (std::uintptr_t{2} << 20), 0u);
    std::memset(block, 0x5a, bytes);
    EXPECT_EQ(static_cast<unsigned char*>(block)[bytes - 1], 0x5a);
    unmap_large(block, bytes);
  }
}

TEST(LargeBlocks, BeyondTheAddressSpaceAreRefused) {
  EXPECT_THROW((void)map_large(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  EXPECT_THROW((void)map_large(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

TEST(LargeBlocks, OfThePoolComeBackAndGoToTheSystem) {
  for (const std::size_t bytes : {std::size_t{4} << 20, std::size_t{64} << 20, (std::size_t{64} << 20) + 1}) {
    void* block = pool_allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
    pool_release(block, bytes);
    void* again = pool_allocate(bytes);
    std::memset(again, 2, bytes);
    pool_release(again, bytes);
  }
}

}  // namespace

}  // namespace sotto::testing
