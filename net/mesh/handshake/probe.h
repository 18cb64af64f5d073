// An inquiry to a role, and the answer: who is there, which version, what time it is, with which parameters. A role
// that sets up its links answers, and so does another that inquires.
//
//     magic "sotto/pr"  8 bytes     clock: microseconds since 1970, UTC     8 bytes
//     wire version      4           length and text of the version of sotto 4 + at most 64
//     sender            1           length and text of the parameters       4 + at most 64 KiB
//     what              1           length and text of the announcement     4 + at most 64 KiB
//     zero              2
//
// An inquiry and an answer look alike. They go to roles of the run only, where certificates say who those are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::net {

inline constexpr std::size_t longest_version = 64;
inline constexpr std::size_t longest_probe = 32 + longest_version + 2 * longest_text;

struct Probe {
  enum class What : std::uint8_t {
    inquiry = 0,
    role = 1,      // the answer of a role that sets up its links
    inquirer = 2,  // the answer of one that inquires itself
  };
  using Clock = std::chrono::system_clock;

  std::uint32_t version = wire_version;
  NodeId sender = 0;
  What what = What::inquiry;
  std::chrono::microseconds clock{};  // since 1970
  std::string software;               // the version of sotto, such as "0.4.0"
  std::string parameters;             // as in the hello
  std::string announcement;           // as in the hello

  friend bool operator==(const Probe&, const Probe&) = default;
};

// The wall clock of this machine.
[[nodiscard]] std::chrono::microseconds wall_clock();

// Throws InputError if a text is longer than its cap.
[[nodiscard]] std::vector<std::byte> encode(const Probe& probe);

// Nothing if the bytes are no probe. Of a probe of another wire version only the version is read.
[[nodiscard]] std::optional<Probe> decode_probe(std::span<const std::byte> payload);

}  // namespace sotto::net
