// What a user asks of an O3M run on one machine: the arguments of `sotto o3m`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "sotto/apps/kit/learn/linear_bandit.h"
#include "sotto/apps/o3m/inputs.h"
#include "sotto/core/party/topology.h"

namespace sotto::apps {

struct O3mOptions {
  O3mFiles files;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  double beta = 0.5;
  double v = 0.01;
  double lambda = 1;
  std::optional<std::uint64_t> steps;          // default: those of the files
  std::string mask_generator = "third-party";  // or the number of a passive participant
  bool compare_central = false;
  bool insecure_blocks = false;
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;   // links without TLS
  bool acknowledge_leakage = false;  // recorded; needed where several companies run roles
  std::filesystem::path out;         // empty: the default, or nothing with json
  bool overwrite = false;            // what a run has finished there
  bool json = false;
};

// "ucb" or "ts". Anything else: InputError that names `where`.
[[nodiscard]] LinearAlgorithm parse_algorithm(const std::string& text, const std::string& where);
[[nodiscard]] const char* algorithm_text(LinearAlgorithm algorithm);

// beta and v from 0, lambda above 0, all finite and at most 1e6; lambda at least 1e-9. InputError that names the flag.
void check_numbers(const O3mOptions& options);

// The passive participant that generates the mask, or nothing for a third party. InputError for
// the active participant (0), for no participant, and for anything else.
[[nodiscard]] std::optional<NodeId> parse_mask_generator(const std::string& text, std::size_t participants,
                                                         const std::string& where);

}  // namespace sotto::apps
