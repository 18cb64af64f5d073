// How far a role has come in a run, step by step: two numbers in a file of 16 bytes that is mapped into memory, so that
// a step costs two stores and no system call.
//
// The pages belong to the operating system, so they survive whatever ends the process, SIGKILL included. They need not
// survive the machine: after a reboot the file may hold older numbers. So the store keeps the id of the boot beside
// what it writes to disk, and counts all that can have begun up to the next checkpoint where the machine has been
// started since (store.h).
//
// The numbers are public: how many steps have begun.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "apps/bandit/run/state/rows.h"

namespace sotto::apps::bandit::run {

class BegunMark {
 public:
  // A new file, only for its owner, on the disk when this returns. Throws ResourceError.
  static void create(const std::filesystem::path& path);
  // Throws InputError where the file is missing or is none that create() makes, ResourceError where it cannot be
  // mapped.
  explicit BegunMark(const std::filesystem::path& path);
  BegunMark(const BegunMark&) = delete;
  BegunMark& operator=(const BegunMark&) = delete;
  ~BegunMark();

  [[nodiscard]] StepCounts progress() const noexcept;
  void set(const StepCounts& progress) noexcept;
  // Step `step` (0-based) begins.
  void step_begins(std::uint64_t step) noexcept;

 private:
  std::uint64_t* numbers_ = nullptr;  // begun, taken
};

// The id that this machine drew when it was started; zeros where it does not tell, which equal no boot.
[[nodiscard]] std::array<std::byte, 16> boot_id();

}  // namespace sotto::apps::bandit::run
