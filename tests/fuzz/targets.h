// Each fuzz target is a function of the input, or of the path of a file that contains the input. Any sequence of bytes
// is a valid input. If a decoder accepts an input, the decoded value must encode to the bytes of the input. The result
// of a reader must be complete and consistent, and a file that is written from the result must be readable. Text that
// shows parts of an input must be printable. If the input is not accepted, the target must get the typed error of the
// role or file at fault.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sotto::fuzz {

// Ends the process if a property does not hold, in every kind of build.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: not so: %s\n", what);
  std::abort();
}

using Input = std::span<const std::byte>;

inline bool is_printable(std::string_view text) { return terminal_safe(text) == text; }

inline std::string_view text_of(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

inline void require_same(Input again, Input input, const char* what) {
  require(std::equal(again.begin(), again.end(), input.begin(), input.end()), what);
}

// Runs the action, which refuses most inputs. The only error that the action may throw is E, with a reason.
template <class E = InputError, class Action>
void or_refused(Action action) {
  try {
    action();
  } catch (const E& error) {
    require(error.what()[0] != '\0', "an error says something");
  }
}

// Like or_refused, for errors that must be printable: no raw part of the input may be in the error.
template <class E = InputError, class Action>
void or_refused_printably(Action action) {
  or_refused<E>([&] {
    try {
      action();
    } catch (const E& error) {
      require(is_printable(error.what()), "an error is printable");
      throw;
    }
  });
}

// Reads numbers from the front of the input. When the input is used up, all further numbers are zeros.
class Numbers {
 public:
  explicit Numbers(Input input) : input_(input) {}
  [[nodiscard]] unsigned byte() {
    if (input_.empty()) return 0;
    const auto value = std::to_integer<unsigned>(input_.front());
    input_ = input_.subspan(1);
    return value;
  }
  [[nodiscard]] Input take(std::size_t count) {
    const auto taken = input_.first(count < input_.size() ? count : input_.size());
    input_ = input_.subspan(taken.size());
    return taken;
  }
  [[nodiscard]] Input rest() const { return input_; }

 private:
  Input input_;
};

class MemoryFile {
 public:
  explicit MemoryFile(Input input) : descriptor_(memfd_create("input", 0)) {
    if (descriptor_ < 0 || ::fchmod(descriptor_, 0600) != 0) throw std::runtime_error("no file in memory");
    for (std::size_t done = 0; done < input.size();) {
      const ssize_t written = ::write(descriptor_, input.data() + done, input.size() - done);
      if (written <= 0) throw std::runtime_error("no room for a file in memory");
      done += static_cast<std::size_t>(written);
    }
  }
  explicit MemoryFile(std::string_view text) : MemoryFile(std::as_bytes(std::span(text))) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

inline std::filesystem::path temporary_folder() {
  struct Folder {
    Folder() {
      const char* const memory = "/dev/shm";
      const bool has_memory = ::access(memory, W_OK) == 0;
      std::string pattern =
          ((has_memory ? std::filesystem::path(memory) : std::filesystem::temp_directory_path()) / "sotto-fuzz-XXXXXX")
              .string();
      if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder");
      path = pattern;
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path;
  };
  static const Folder folder;
  return folder.path;
}

inline void run_target(void (*target)(Input), Input input) { target(input); }
inline void run_target(void (*target)(const std::filesystem::path&), Input input) { target(MemoryFile(input).path()); }

// targets_protocols.cc
void frames(Input input);
void chunks(Input input);
void intersection(Input input);
void transfers(Input input);
void preprocessing(Input input);
void material(Input input);

// targets_net.cc
void handshake(Input input);
void agreement(Input input);
void set_up(Input input);
void link_frames(Input input);
void tls(Input input);
void service(Input input);
void keys(const std::filesystem::path& path);

// targets_apps.cc
void config(const std::filesystem::path& path);
void overlay(Input input);
void store(Input input);
void stored_rows(Input input);
void saved_run(Input input);
void announcement(Input input);
void p2b_model(Input input);
void live_order(Input input);
void live_rows(Input input);
void live_messages(Input input);
void sealed_rows(Input input);
void world_answer(Input input);
void robin_messages(Input input);
void p2b_messages(Input input);

// targets_live.cc
void decision_body(Input input);
void features_body(Input input);
void reward_body(Input input);
void pull_answer(Input input);

// targets_http.cc
void json_body(Input input);
void json_lines(Input input);
void http_target(Input input);
void http_request(Input input);

// targets_readers.cc
void csv(const std::filesystem::path& path);
void idx(const std::filesystem::path& path);
void long_form(const std::filesystem::path& path);
void criteo(const std::filesystem::path& path);
void libsvm(const std::filesystem::path& path);
void arff(const std::filesystem::path& path);
void users(const std::filesystem::path& path);
void tuples(const std::filesystem::path& path);
void encoder(const std::filesystem::path& path);

// targets_tables.cc
void text_table(const std::filesystem::path& path);
void recipe(Input input);
void comparable_ids(Input input);

}  // namespace sotto::fuzz
