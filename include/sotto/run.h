// run: one role of a program, over the network, as its config says.
//
//     int main(int argc, char** argv) try {
//       const Config config = Config::from_arguments(argc, argv);          --config config.toml
//       auto out = run(config, fit, read_csv(config.data()));              party or dealer
//       if (out.result) std::cout << *out.result << "\n" << out.in_short() << "\n";
//     } catch (const Error& error) {
//       std::cerr << error.what() << "\n";
//       return static_cast<int>(error.exit_code());                        docs/faults.md
//     }
//
// Every role runs the same executable, with a config of its own: `sotto init --protocol program` writes the set,
// `sotto keys` makes keys and tells them to each other, `sotto doctor` tries names, ports, clocks and certificates.
// Links are TLS 1.3; each role trusts the certificates in its config and no others. The dealer gives randomness and
// sees no message; with preprocessing = "replicated" or "ot" in [run] there is none, and three parties, or two, make
// the randomness before the program begins; with "helper" two do so with a role in the dealer's place, which knows none
// of it and takes the program as the dealer does, without an input. Where the program reveals nothing to a receiver
// there are no other roles.
//
// The handshake compares the configs, and what the program does, as its plan has it: inputs, operations, shapes,
// bounds, public numbers, openings and their names, phases, rounds and bytes. Roles whose programs differ do not start,
// and tell the first operation that differs; docs/library.md has the details. A fault ends the run at all roles with
// one cause (docs/faults.md). A role with `report` in [role] writes a report there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/session.h"
#include "sotto/simulate.h"

namespace sotto {

namespace apps {
struct OwnSettings;
}

// What one role's config.toml says.
class Config {
 public:
  // The file, and SOTTO_<TABLE>_<KEY> in the environment above it. Throws InputError with file, line and remedy.
  [[nodiscard]] static Config read(const std::filesystem::path& file);
  // `--config FILE`, and as often as needed `--set table.key=value` above it; `--help` prints them and ends the process
  // with 0. Throws InputError.
  [[nodiscard]] static Config from_arguments(int argc, const char* const* argv);
  explicit Config(apps::OwnSettings settings);

  [[nodiscard]] std::size_t parties() const;
  // The number of this party; nothing at the dealer and the receiver.
  [[nodiscard]] std::optional<std::size_t> party() const;
  // "party 0", "dealer".
  [[nodiscard]] std::string role() const;
  // The party's data file; empty where the config names none.
  [[nodiscard]] std::filesystem::path data() const;
  // Fraction bits, receiver and preprocessing, as all roles have them.
  [[nodiscard]] SessionOptions session() const;
  [[nodiscard]] const apps::OwnSettings& settings() const { return *settings_; }

 private:
  std::shared_ptr<const apps::OwnSettings> settings_;
};

// The numbers of a CSV file, row by row, without its header line if it has one: what a party brings. Nothing, 0 x 0, of
// no file, as at a dealer. Throws InputError with file, line and column, and never shows a number.
[[nodiscard]] Matrix read_csv(const std::filesystem::path& file);

struct RunOptions {
  double bound = 16;                               // of inputs that state none; alike at all roles
  const std::atomic<bool>* interrupted = nullptr;  // set: the run ends, at all roles, with Interrupted
  std::function<void(const std::string&)>
      tell{};  // takes lines such as "party 1 is here (1 of 2)", of any thread, one at a time; else stderr has them
  std::optional<int> listen_descriptor{};  // a bound socket instead of the config's address
};

template <class T>
struct NetworkRun : RunCost {
  std::optional<T> result;           // nothing at the dealer
  double seconds_preprocessing = 0;  // in which the parties made the randomness; 0 with a dealer
  double seconds_online = 0;         // all others from the first round to the end
};

namespace detail {

// The links of the role. `planned` is told to the others, who must plan the same.
[[nodiscard]] net::Mesh connect(const Config& config, const RunCost& planned, const RunOptions& options);
[[nodiscard]] net::DriverOptions driver_options(const Config& config, const RunCost& planned,
                                                const RunOptions& options);
// Of the links' session: under which the parties expand their own randomness.
[[nodiscard]] std::string expansion_label(const net::Mesh& mesh);
// Of the config: repeatable randomness, for tests.
[[nodiscard]] std::optional<std::uint64_t> insecure_seed(const Config& config);
// Writes the report, where the config names a file.
void finish(const Config& config, const RunCost& planned, double setup_seconds, const net::NodeStatistics& node,
            const net::DealerStatistics& dealer);

}  // namespace detail

// Throws InputError, NetworkError, TrustError, DisagreementError, ProtocolError, ResourceError, Interrupted; what the
// program throws; and RemoteFailure where another role has failed. All of them are an Error, but for BoundError, and
// std::invalid_argument of what only a dealer can make (an argmax of more than 64 columns), which come before anything
// is connected. All peers have been told by then.
template <class Program, class Mine = Matrix>
auto run(const Config& config, Program program, Mine mine = {}, const RunOptions& options = {}) {
  using T = detail::ResultOf<Program, Mine>;
  SessionOptions session = config.session();
  session.bound = options.bound;
  const RunCost planned = plan<Mine>(config.parties(), program, session);
  const auto begin = std::chrono::steady_clock::now();
  net::Mesh mesh = detail::connect(config, planned, options);
  const std::chrono::duration<double> setup = std::chrono::steady_clock::now() - begin;
  const std::string label = detail::expansion_label(mesh);
  const auto at_this_role = [&](Party& party) {
    return detail::at_role<Program, Mine>(party, program, std::move(mine), session, label,
                                          detail::insecure_seed(config));
  };
  auto done = net::run_program(mesh, at_this_role, detail::driver_options(config, planned, options),
                               detail::insecure_seed(config));
  detail::finish(config, planned, setup.count(), done.node, done.dealer);
  const double ahead = done.node.seconds_preprocessing;
  NetworkRun<T> result{planned, {}, ahead, done.result ? done.node.seconds - ahead : done.dealer.seconds};
  if (done.result) result.result.emplace(std::move(done.result->result));
  return result;
}

}  // namespace sotto
