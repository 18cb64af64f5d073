// The `sotto` command, killed right after its n-th change of the disk. Each system call that makes, renames or removes
// a file or folder on the disk is a change. The command is killed at the latest when it starts its first child.
#pragma once

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "tests/process/sotto_process.h"

namespace sotto::testing {

enum class Traced { killed, came_to_its_children, ended, cannot_be_traced };

namespace traced {

inline bool changes_the_disk(const __ptrace_syscall_info& call) {
  constexpr std::uint64_t making = O_CREAT;
  switch (call.entry.nr) {
    case SYS_openat:
      return (call.entry.args[2] & making) != 0;
#ifdef SYS_open
    case SYS_open:
      return (call.entry.args[1] & making) != 0;
    case SYS_mkdir:
    case SYS_rename:
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_link:
#endif
    case SYS_mkdirat:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_unlinkat:
    case SYS_linkat:
      return true;
    default:
      return false;
  }
}

inline bool starts_a_child(const __ptrace_syscall_info& call) {
  switch (call.entry.nr) {
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
#endif
    case SYS_clone:
    case SYS_clone3:
      return true;
    default:
      return false;
  }
}

[[noreturn]] inline void become(const TestFolder& folder, std::vector<char*> words) {
  ::setenv("TMPDIR", (folder.path() / "tmp").c_str(), 1);
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
  if (::chdir(folder.path().c_str()) != 0) ::_exit(99);
  ::raise(SIGSTOP);
  ::execv(sotto_program, words.data());
  ::_exit(99);
}

// Lets the traced process run to its next stop, and passes signals on to the process. Returns false once the process
// has ended.
inline bool next_stop(pid_t pid, int& status) {
  const int signal =
      WIFSTOPPED(status) && (WSTOPSIG(status) & 0x80) == 0 && WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP
          ? WSTOPSIG(status)
          : 0;
  if (::ptrace(PTRACE_SYSCALL, pid, nullptr, static_cast<long>(signal)) != 0) return false;
  return ::waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

inline Traced follow(pid_t pid, int& status, std::size_t n) {
  constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  if (!WIFSTOPPED(status) || ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, options) != 0) return Traced::cannot_be_traced;
  std::size_t changes = 0;
  while (next_stop(pid, status)) {
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    __ptrace_syscall_info call{};
    if (::ptrace(__ptrace_request(PTRACE_GET_SYSCALL_INFO), pid, reinterpret_cast<void*>(sizeof call), &call) < 0) {
      return Traced::cannot_be_traced;
    }
    if (call.op == PTRACE_SYSCALL_INFO_EXIT && changes > n) return Traced::killed;
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
    if (starts_a_child(call)) return Traced::came_to_its_children;
    if (changes_the_disk(call)) ++changes;
  }
  return Traced::ended;
}

}  // namespace traced

// Kills the process right after its n-th change of the disk, counted from 0, or before its first child.
inline Traced run_until_change(const TestFolder& folder, std::vector<std::string> words, std::size_t n) {
  words.insert(words.begin(), "sotto");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) traced::become(folder, pointers);
  int status = 0;
  ::waitpid(pid, &status, 0);
  const Traced result = traced::follow(pid, status, n);
  if (result == Traced::ended) return result;
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) continue;
  return result;
}

}  // namespace sotto::testing
