// What a primitive costs between parties that are threads of this process, linked by TCP on loopback: rounds, bytes,
// dealt bytes, and the time of a steady repetition.
//
// The dealer deals for all repetitions before the first starts, and the last party holds what it dealt in memory. A
// repetition starts when all parties have heard from each other, and is timed inside each party's program; the first is
// not counted, as it pays for fresh memory. A figure is the median of the repetitions, and of the parties the largest.
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
  std::size_t size = 1;  // lanes; arms of argmax; events of choose; n of the n x n matrices of matmul
  std::size_t parties = 2;
};

struct PrimitiveOptions {
  std::size_t repeats = 0;                                  // that are timed; 0: by the size of the case
  std::uint64_t most_dealt_bytes = std::uint64_t{4} << 30;  // held by the last party at a time
  const std::atomic<bool>* interrupted = nullptr;
};

struct PrimitiveFigures {
  PrimitiveCase what;
  std::uint64_t rounds = 0;       // of one repetition, as the next two
  std::uint64_t bytes_sent = 0;   // by a party to all others, headers included
  std::uint64_t dealt_bytes = 0;  // to the last party, headers included
  std::size_t repeats = 0;        // timed; 0: skipped, and the times mean nothing
  std::size_t batch = 1;          // repetitions between two time stamps
  double online_seconds = 0;      // of one repetition
  double dealer_seconds = 0;      // CPU time of the dealer for one repetition
  std::string skipped;            // why nothing was timed

  // Of the whole run, line-up rounds, inputs and check included: what was planned, and what links and drivers counted.
  std::uint64_t planned_rounds = 0, measured_rounds = 0;
  std::uint64_t planned_bytes = 0, measured_bytes = 0;  // of party 0
  std::uint64_t planned_dealt = 0, measured_dealt = 0;
};

// round, multiply, mask_trunc, compare, argmax, choose, reciprocal, exp, matmul, a2b, b2a.
[[nodiscard]] const std::vector<std::string>& primitive_names();

// The sizes that are measured where none are asked for: 1, 10^4 and 10^6 lanes; 10, 100 and 1000 arms; 1, 64 and
// 1024 events; 256 and 1024 rows.
[[nodiscard]] std::vector<std::size_t> usual_sizes(std::string_view name);

// Runs one case. A case that needs more dealt bytes than the options allow is repeated less often, and skipped where
// two repetitions are too many. Throws what check_case throws, std::logic_error if the primitive's result was wrong,
// and what drivers throw.
[[nodiscard]] PrimitiveFigures measure_primitive(const PrimitiveCase& what, const PrimitiveOptions& options);

[[nodiscard]] FigureTable primitives_table(const std::vector<PrimitiveFigures>& figures);

// All roles of a measurement as threads of this process, joined by TCP on loopback, and the dealer ahead of them.

// The program of one role: called once, on that role's thread. What the task refers to must outlive the run.
using RoleProgram = std::function<Task<Unit>(Party& party, std::size_t role)>;

struct RolesRun {
  std::vector<net::NodeStatistics> nodes;  // by node
  net::DealerStatistics dealer;
};

// Runs program(party, role) at all nodes, role being the node's number, and at the dealer, whose role is
// topology.nodes(). `planned_dealt_bytes` is what a planner counts for the same program. Throws what the role threw
// that failed first.
[[nodiscard]] RolesRun run_roles_dealt_ahead(const Topology& topology, const RoleProgram& program,
                                             std::uint64_t planned_dealt_bytes, const std::atomic<bool>* interrupted);

// The programs that `sotto-lab bench primitives` and sotto_bench repeat, one a primitive. Every role makes an object of
// its own and runs it; inputs are public patterns that party 0 shares, so that results can be checked.

class PrimitiveProgram {
 public:
  PrimitiveProgram() = default;
  PrimitiveProgram(const PrimitiveProgram&) = delete;
  PrimitiveProgram& operator=(const PrimitiveProgram&) = delete;
  virtual ~PrimitiveProgram() = default;

  // Shares the inputs. Not timed.
  [[nodiscard]] virtual Task<Unit> prepare(Party& party) = 0;
  // Fresh copies of what one repetition uses up, and the last result forgotten. Not timed where repetitions are timed
  // one by one.
  virtual void arrange() = 0;
  // One repetition, from shared or masked inputs to shares of the result.
  [[nodiscard]] virtual Task<Unit> run(Party& party) = 0;
  // Opens a few lanes of the last result: the largest distance from what they should be, in units of the last place; 0
  // at roles that learn nothing.
  [[nodiscard]] virtual Task<double> error(Party& party) = 0;
  // The largest error of a right result.
  [[nodiscard]] virtual double tolerance() const = 0;
};

// The table of all primitives that are measured.
struct PrimitiveKind {
  std::string name;
  const char* unit;                      // what a size counts: "lane", "arm", "event" or "row"
  std::vector<std::size_t> usual_sizes;  // that are measured where none are asked for
  std::size_t most_size;
  std::unique_ptr<PrimitiveProgram> (*make)(std::size_t size);
};
[[nodiscard]] const std::vector<PrimitiveKind>& primitive_kinds();
// nullptr where there is none of that name.
[[nodiscard]] const PrimitiveKind* find_primitive(std::string_view name);

}  // namespace sotto::apps::lab
