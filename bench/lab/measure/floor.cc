#include "bench/lab/measure/floor.h"

#include <cstring>

#include "apps/prepare/data/environment.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/samples.h"
#include "core/ring/kernels.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
using namespace sotto::apps::prepare;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t expanded_words = 8192;           // 64 KB: stays in the cache
constexpr std::size_t copied_words = 8 * 1024 * 1024;  // 64 MB: does not fit into the cache
constexpr std::uint64_t most_repetitions = std::uint64_t{1} << 30;

Words random_words(std::size_t count, std::uint64_t seed) {
  Words words(count);
  Prg(Seed::insecure_from_number(seed)).fill(words, 64);
  return words;
}

double seconds_of(std::uint64_t repetitions, const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  for (std::uint64_t i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns rates in billions of items a second.
std::vector<double> rates(double seconds, std::size_t batches, double items, const std::function<void()>& work) {
  std::uint64_t repetitions = 1;
  while (seconds_of(repetitions, work) < seconds && repetitions < most_repetitions) {
    repetitions *= 2;
  }
  std::vector<double> result;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const double time = std::max(seconds_of(repetitions, work), 1e-9);
    result.push_back(items * static_cast<double>(repetitions) / time / 1e9);
  }
  return result;
}

struct FloorBench {
  std::vector<std::size_t> parties{2, 3, 8};
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 2000;
};

constexpr std::size_t kernel_batches = 10;
constexpr std::size_t transfer_bytes = 1 << 20;

StepFrames between_two(std::size_t there, std::size_t back) { return StepFrames{2, 2, {{0, there, back, 0}}}; }

double seconds_for(std::uint64_t steps) { return std::min(4.0, 2e-3 * static_cast<double>(steps)); }

void add_times(std::vector<Cell>& row, const std::vector<double>& times) {
  row.insert(row.end(), {median(times), least(times)});
}

FigureTable step_table(const std::vector<StepFrames>& configurations, const std::string& title, std::uint64_t steps,
                       const std::atomic<bool>& interrupted) {
  FigureTable table("steps", title,
                    "parties; rounds; sent_bytes: sent by a party, B; floor_us: floor, us; floor_least_us: least, us; "
                    "spinning_us: spinning, us; spinning_least_us: least, us; blocking_us: blocking, us; "
                    "blocking_least_us: least, us; tls_us: floor over TLS, us; tls_least_us: least, us");
  for (const StepFrames& frames : configurations) {
    std::vector<Cell> row{frames.parties, frames.rounds.size(), frames.sent_by_largest_party()};
    for (const Waiting waiting : {Waiting::yielding, Waiting::spinning, Waiting::blocking}) {
      add_times(row, replay_within(frames, waiting, steps, seconds_for(steps), interrupted));
    }
    add_times(row, replay_within(frames, Waiting::yielding, steps, seconds_for(steps), interrupted, Carrier::tls));
    table.add(std::move(row));
  }
  table.note(
      "Floor: waiting as the links do, retrying with sched_yield for 100 us a party and then in poll. Spinning: "
      "retrying only. Blocking: in poll at once. Links are plain TCP on loopback, in the last columns TLS 1.3 over it, "
      "as the links of a run have it, waiting as for the floor.");
  return table;
}

FigureTable frame_table(const std::vector<StepFrames>& configurations) {
  FigureTable table("frames", "Frames of a step, the largest of each kind, headers included",
                    "parties; round; party_to_party_bytes: party to party, B; "
                    "party_to_actor_bytes: party to actor, B; actor_to_party_bytes: actor to party, B");
  for (const StepFrames& frames : configurations) {
    for (std::size_t round = 0; round < frames.rounds.size(); ++round) {
      std::size_t among = 0;
      std::size_t to_actor = 0;
      std::size_t from_actor = 0;
      for (std::size_t from = 0; from < frames.nodes; ++from) {
        for (std::size_t to = 0; to < frames.nodes; ++to) {
          std::size_t& largest = from >= frames.parties ? from_actor : to >= frames.parties ? to_actor : among;
          largest = std::max(largest, frames.bytes(round, from, to));
        }
      }
      table.add({frames.parties, round + 1, among, to_actor, from_actor});
    }
  }
  return table;
}

FigureTable exchange_table(std::uint64_t steps, const std::atomic<bool>& interrupted) {
  FigureTable table("exchanges", "One exchange between two processes, TCP on loopback",
                    "frame_bytes: frame, B; yielding_us: as links wait, us; yielding_least_us: least, us; "
                    "spinning_us: spinning, us; spinning_least_us: least, us; blocking_us: blocking, us; "
                    "blocking_least_us: least, us; tls_us: TLS 1.3 spinning, us; tls_least_us: least, us");
  const std::uint64_t exchanges = 10 * steps;
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}, std::size_t{16384}}) {
    std::vector<Cell> row{bytes};
    for (const Waiting waiting : {Waiting::yielding, Waiting::spinning, Waiting::blocking}) {
      add_times(row, replay_within(between_two(bytes, bytes), waiting, exchanges, seconds_for(steps), interrupted));
    }
    add_times(row, replay_within(between_two(bytes, bytes), Waiting::spinning, exchanges, seconds_for(steps),
                                 interrupted, Carrier::tls));
    table.add(std::move(row));
  }
  table.note("Both processes send a frame and read one. TLS is that of our links: OpenSSL, AES-128-GCM.");
  return table;
}

FigureTable bandwidth_table(std::uint64_t steps, const std::atomic<bool>& interrupted) {
  FigureTable table("bandwidth", "Bandwidth between two processes, TCP on loopback",
                    "direction; gb_per_second: each way, GB/s; gb_per_second_most: most, GB/s");
  const auto add = [&](const char* direction, const StepFrames& frames, Carrier carrier = Carrier::tcp) {
    const std::vector<double> times = replay_within(frames, Waiting::yielding, std::max<std::uint64_t>(10, steps / 2),
                                                    seconds_for(steps), interrupted, carrier);
    const auto rate = [](double microseconds) { return transfer_bytes / microseconds / 1e3; };
    table.add({direction, rate(median(times)), rate(least(times))});
  };
  add("one way", between_two(transfer_bytes, 0));
  add("both ways at once", between_two(transfer_bytes, transfer_bytes));
  add("one way, TLS", between_two(transfer_bytes, 0), Carrier::tls);
  add("both ways at once, TLS", between_two(transfer_bytes, transfer_bytes), Carrier::tls);
  return table;
}

FigureTable kernel_table(std::uint64_t steps) {
  FigureTable table("kernels", std::string("Inside one process, kernels ") + kernels().name, "what; rate; most; unit");
  const double seconds = std::min(0.03, 1.5e-5 * static_cast<double>(steps));
  for (const KernelSpeed& speed : kernel_speeds(seconds, kernel_batches)) {
    table.add(
        {speed.what, median(speed.batches), *std::max_element(speed.batches.begin(), speed.batches.end()), speed.unit});
  }
  return table;
}

std::vector<StepFrames> configurations(const FloorBench& arguments) {
  std::vector<StepFrames> result;
  for (const std::size_t parties : arguments.parties) {
    result.push_back(step_frames(even_plan(parties, arguments.features, arguments.arms, arguments.steps)));
  }
  return result;
}

Page measure_floor(const FloorBench& arguments) {
  const std::vector<StepFrames> all = configurations(arguments);
  Page page{
      "floor",
      "The floor of a bandit step",
      "The frames of each round of a bandit step, as the planner gives them, sent between the same processes as in "
      "`sotto bandit` without arithmetic; and what else this machine allows. Medians and extremes of up to 10 batches.",
      {},
      {}};
  show_progress("the messages of a step");
  page.tables.push_back(step_table(all,
                                   fmt::format("A bandit step without arithmetic, {}, {}: time a step",
                                               counted(arguments.features, "feature"), counted(arguments.arms, "arm")),
                                   arguments.steps, interrupted()));
  page.tables.push_back(frame_table(all));
  show_progress("exchanges between two processes");
  page.tables.push_back(exchange_table(arguments.steps, interrupted()));
  page.tables.push_back(bandwidth_table(arguments.steps, interrupted()));
  show_progress("kernels");
  page.tables.push_back(kernel_table(arguments.steps));
  return page;
}

void declare_floor(Command& command, FloorBench& arguments) {
  add_parties(command, arguments.parties)->shows_default();
  add_features(command, arguments.features);
  command.add_option("--arms", arguments.arms, "Arms", whole(1, max_arms));
  command.add_option("--steps", arguments.steps,
                     "Steps to replay, fewer where slow; sets the length of all measurements", whole(1, 10'000'000));
}

}  // namespace

std::vector<KernelSpeed> kernel_speeds(double seconds_of_a_batch, std::size_t batches) {
  std::vector<KernelSpeed> speeds;
  {
    Prg prg(Seed::insecure_from_number(1));
    Words sum(expanded_words);
    speeds.push_back({"expand a seed and add it to 64 KB", "GB/s",
                      rates(seconds_of_a_batch, batches, 8.0 * expanded_words, [&] { prg.add_to(sum, 64); })});
  }
  for (const std::size_t n : {std::size_t{256}, std::size_t{1024}}) {
    const Words a = random_words(n * n, 1);
    const Words b = random_words(n * n, 2);
    Words out(n * n);
    const double multiplications = static_cast<double>(n) * static_cast<double>(n * n);
    speeds.push_back({fmt::format("product of {0} x {0} ring matrices", n), "G multiply-adds/s",
                      rates(seconds_of_a_batch, batches, multiplications,
                            [&] { kernels().matmul_add(out.data(), a.data(), b.data(), n, n, n); })});
  }
  {
    const Words from(copied_words, 1);
    Words to(copied_words);
    // The empty statement tells the compiler that the copy is read.
    speeds.push_back({"copy 64 MB of memory", "GB/s", rates(seconds_of_a_batch, batches, 8.0 * copied_words, [&] {
                        std::memcpy(to.data(), from.data(), 8 * copied_words);
                        asm volatile("" : : "r"(to.data()) : "memory");
                      })});
  }
  return speeds;
}

void add_bench_floor(Command& bench) {
  add_measurement<FloorBench>(
      bench, "floor", "Time the messages of a bandit step without arithmetic, and what else this machine allows",
      "Examples:\n"
      "  sotto-lab bench floor\n"
      "  sotto-lab bench floor --parties 2,3 --arms 40 --json\n"
      "  sotto-lab bench floor --out floor.md",
      declare_floor, measure_floor);
}

}  // namespace sotto::apps::lab
