// The number of steps that a role has begun in a run, updated at each step. The mark has two numbers, in a file of 16
// bytes that is mapped into memory. So a step costs two stores and no system call.
//
// The pages belong to the operating system, so they survive whatever ends the process, SIGKILL included. The pages may
// not survive a crash of the machine: after a reboot the file may have older numbers. So the store keeps the id of the
// boot with the rows that it writes to disk. If the machine has been restarted since the last write, the store counts
// all steps as begun that can have begun before the next checkpoint (store.h).
//
// How many steps have begun is public.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "apps/bandit/run/state/rows.h"

namespace sotto::apps::bandit::run {

class BegunMark {
 public:
  // Makes a new file that only its owner can access. The file is on the disk when create() returns. Throws
  // ResourceError.
  static void create(const std::filesystem::path& path);
  // Throws InputError if the file is missing or was not made by create(), and ResourceError if it cannot be mapped.
  explicit BegunMark(const std::filesystem::path& path);
  BegunMark(const BegunMark&) = delete;
  BegunMark& operator=(const BegunMark&) = delete;
  ~BegunMark();

  [[nodiscard]] StepCounts progress() const noexcept;
  void set(const StepCounts& progress) noexcept;
  // Notes that step `step` (0-based) begins.
  void step_begins(std::uint64_t step) noexcept;

 private:
  std::uint64_t* numbers_ = nullptr;  // the two numbers: begun, taken
};

// The id that this machine drew when it was started. Zeros if the machine does not provide an id; the id of a boot is
// never zeros.
[[nodiscard]] std::array<std::byte, 16> boot_id();

}  // namespace sotto::apps::bandit::run
