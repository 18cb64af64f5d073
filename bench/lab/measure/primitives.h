// The cost of a primitive between parties that are threads of this process, linked by TCP on loopback: rounds, bytes,
// dealt bytes, and the time of a steady repetition.
//
// The dealer deals for all repetitions before the first repetition starts, and the last party holds the dealt
// randomness in memory. A repetition starts when every party has received a message from every other party, and is
// timed inside each party's program. The first repetition is not counted, as it pays for fresh memory. For each party,
// the median of the repetitions is taken; the figure is the largest of the parties' medians.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/report/table.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::lab {

struct PrimitiveCase {
  std::string name;      // one of primitive_names()
  std::size_t size = 1;  // number of lanes; arms for argmax; events for choose; n for the n x n matrices of matmul
  std::size_t parties = 2;
};

struct PrimitiveOptions {
  std::size_t repeats = 0;                                  // timed repetitions; 0: chosen by the size of the case
  std::uint64_t most_dealt_bytes = std::uint64_t{4} << 30;  // limit of the dealt bytes that the last party stores
  const std::atomic<bool>* interrupted = nullptr;
};

struct PrimitiveFigures {
  PrimitiveCase what;
  std::uint64_t rounds = 0;       // rounds of one repetition
  std::uint64_t bytes_sent = 0;   // bytes that a party sends to all others in one repetition, headers included
  std::uint64_t dealt_bytes = 0;  // bytes dealt to the last party for one repetition, headers included
  std::size_t repeats = 0;        // number of timed repetitions; 0: the case was skipped, and there are no times
  std::size_t batch = 1;          // repetitions between two time stamps
  double online_seconds = 0;      // time of one repetition
  double dealer_seconds = 0;      // CPU time of the dealer for one repetition
  std::string skipped;            // the reason why nothing was timed

  // The planned counts of the whole run, and the counts that links and drivers measured. Both counts include the
  // inputs, the check of the result, and the rounds that line up the parties.
  std::uint64_t planned_rounds = 0, measured_rounds = 0;
  std::uint64_t planned_bytes = 0, measured_bytes = 0;  // bytes of party 0
  std::uint64_t planned_dealt = 0, measured_dealt = 0;
};

// The primitives: round, multiply, mask_trunc, compare, argmax, choose, reciprocal, exp, matmul, a2b, b2a.
[[nodiscard]] const std::vector<std::string>& primitive_names();

// The sizes that are measured by default: 1, 10^4 and 10^6 lanes; 10, 100 and 1000 arms; 1, 64 and 1024 events; 256 and
// 1024 rows.
[[nodiscard]] std::vector<std::size_t> usual_sizes(std::string_view name);

// Runs one case. A case that needs more dealt bytes than the options allow is repeated less often, and skipped if two
// repetitions are too many. Throws the errors of check_case, std::logic_error if the primitive's result was wrong, and
// the errors of drivers.
[[nodiscard]] PrimitiveFigures measure_primitive(const PrimitiveCase& what, const PrimitiveOptions& options);

[[nodiscard]] FigureTable primitives_table(const std::vector<PrimitiveFigures>& figures);

// All roles of a measurement are threads of this process, linked by TCP on loopback. The dealer deals all randomness
// before the first round.

// Makes the program of one role. A RoleProgram is called once for each role, on the role's thread. Objects that the
// task refers to must outlive the run.
using RoleProgram = std::function<Task<Unit>(Party& party, std::size_t role)>;

struct RolesRun {
  std::vector<net::NodeStatistics> nodes;  // statistics of each node
  net::DealerStatistics dealer;
};

// Runs program(party, role) at all nodes, where role is the node's number, and at the dealer, where role is
// topology.nodes(). `planned_dealt_bytes` is a planner's count for the same program. Throws the error of the role that
// failed first.
[[nodiscard]] RolesRun run_roles_dealt_ahead(const Topology& topology, const RoleProgram& program,
                                             std::uint64_t planned_dealt_bytes, const std::atomic<bool>* interrupted);

// The programs that `sotto-lab bench primitives` and sotto_bench repeat, one for each primitive. Every role makes and
// runs its own object of the program. Inputs are public patterns that party 0 shares, so that results can be checked.

class PrimitiveProgram {
 public:
  PrimitiveProgram() = default;
  PrimitiveProgram(const PrimitiveProgram&) = delete;
  PrimitiveProgram& operator=(const PrimitiveProgram&) = delete;
  virtual ~PrimitiveProgram() = default;

  // Shares the inputs. Sharing is not timed.
  [[nodiscard]] virtual Task<Unit> prepare(Party& party) = 0;
  // Makes fresh copies of the inputs that one repetition uses up, and forgets the last result. The copying is not timed
  // if repetitions are timed one by one.
  virtual void arrange() = 0;
  // Runs one repetition, from shared or masked inputs to shares of the result.
  [[nodiscard]] virtual Task<Unit> run(Party& party) = 0;
  // Opens a few lanes of the last result. Returns the largest distance from the expected values, in units of the last
  // place; 0 at roles that learn nothing.
  [[nodiscard]] virtual Task<double> error(Party& party) = 0;
  // The largest error of a correct result.
  [[nodiscard]] virtual double tolerance() const = 0;
};

// A primitive that is measured.
struct PrimitiveKind {
  std::string name;
  const char* unit;                      // what a size counts: "lane", "arm", "event" or "row"
  std::vector<std::size_t> usual_sizes;  // the sizes that are measured by default
  std::size_t most_size;
  std::unique_ptr<PrimitiveProgram> (*make)(std::size_t size);
};
[[nodiscard]] const std::vector<PrimitiveKind>& primitive_kinds();
// Finds a primitive by its name; returns nullptr if no primitive has this name.
[[nodiscard]] const PrimitiveKind* find_primitive(std::string_view name);

}  // namespace sotto::apps::lab
