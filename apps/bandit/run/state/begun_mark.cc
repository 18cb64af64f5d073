#include "apps/bandit/run/state/begun_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr std::size_t mark_bytes = 2 * sizeof(std::uint64_t);

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw ResourceError(fmt::format("{}: cannot be used: {}", path.string(), std::strerror(errno)));
}

// The 8 bytes are written in one instruction. So if the process is killed, the file contains either the old number or
// the new number.
void put(std::uint64_t& to, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(to).store(value, std::memory_order_relaxed);
}

}  // namespace

void BegunMark::create(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
  const std::array<std::byte, mark_bytes> zeros{};
  // Writing the zeros reserves the space, so a full disk causes an error here and not at a later put().
  if (file.get() < 0 || ::write(file.get(), zeros.data(), zeros.size()) != static_cast<ssize_t>(zeros.size()) ||
      ::fsync(file.get()) != 0) {
    fail(path);
  }
}

BegunMark::BegunMark(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0 && errno == ENOENT) {
    throw InputError(path.string(), "is missing: this folder is not what a run left behind");
  }
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail(path);
  if (status.st_size != static_cast<off_t>(mark_bytes)) {
    throw InputError(path.string(), fmt::format("is damaged: {} bytes, not {}", status.st_size, mark_bytes));
  }
  void* mapped = ::mmap(nullptr, mark_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) fail(path);
  numbers_ = static_cast<std::uint64_t*>(mapped);
}

BegunMark::~BegunMark() { ::munmap(numbers_, mark_bytes); }

StepCounts BegunMark::progress() const noexcept { return StepCounts{numbers_[0], numbers_[1]}; }

void BegunMark::set(const StepCounts& progress) noexcept {
  put(numbers_[0], progress.begun);
  put(numbers_[1], progress.taken);
}

void BegunMark::step_begins(std::uint64_t step) noexcept {
  // If the process is killed between the two calls of put(), the file counts one step too many, never one too few.
  put(numbers_[1], numbers_[1] + 1);
  if (step >= numbers_[0]) put(numbers_[0], step + 1);
}

std::array<std::byte, 16> boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  file >> text;
  std::erase(text, '-');
  std::array<std::byte, 16> id{};
  if (!is_hex(text, 2 * id.size())) return id;
  for (std::size_t i = 0; i < id.size(); ++i) {
    id[i] = static_cast<std::byte>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return id;
}

}  // namespace sotto::apps::bandit::run
