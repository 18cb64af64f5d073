// The number of steps that a role has begun in a run: two numbers in a file of 16 bytes that is mapped into memory.
//
// The numbers survive whatever ends the process, SIGKILL included. After a crash of the machine the file may have older
// numbers. To notice a reboot, the role's store contains the id of the boot (rows.h).
//
// The numbers are public.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "apps/bandit/run/state/rows.h"

namespace sotto::apps::bandit::run {

class BegunMark {
 public:
  // Makes a file that only its owner can access. The file is on the disk when create() returns.
  static void create(const std::filesystem::path& path);
  // Throws InputError if the file is missing or was not made by create(), and ResourceError if it cannot be mapped.
  explicit BegunMark(const std::filesystem::path& path);
  BegunMark(const BegunMark&) = delete;
  BegunMark& operator=(const BegunMark&) = delete;
  ~BegunMark();

  [[nodiscard]] StepCounts progress() const noexcept;
  void set(const StepCounts& progress) noexcept;
  void step_begins(std::uint64_t step) noexcept;

 private:
  std::uint64_t* numbers_ = nullptr;  // numbers of begun and of taken steps (StepCounts)
};

// Returns zeros if the machine does not provide an id of its boot.
[[nodiscard]] std::array<std::byte, 16> boot_id();

}  // namespace sotto::apps::bandit::run
