// The macro SOTTO_FUZZ_TARGETS lists the targets of the program. The name by which the program is started,
// fuzz_<target>, says which target runs.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets.h"

namespace sotto::fuzz {
namespace {

struct Target {
  std::string_view name;
  void (*run)(Input input);
};

#define SOTTO_FUZZ_TARGET(name) {#name, [](Input input) { run_target(&name, input); }},
constexpr Target targets[] = {SOTTO_FUZZ_TARGETS};
#undef SOTTO_FUZZ_TARGET

const Target* chosen = nullptr;

}  // namespace
}  // namespace sotto::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  using namespace sotto::fuzz;
  std::string_view program = (*argv)[0];
  program.remove_prefix(program.rfind('/') + 1);  // a name without a slash stays whole
  for (const Target& target : targets) {
    if (program.starts_with("fuzz_") && program.substr(5) == target.name) chosen = &target;
  }
  if (chosen == nullptr) {
    std::fputs("fuzz: start it by the name fuzz_<target>, one of\n", stderr);
    for (const Target& target : targets) std::fprintf(stderr, "  fuzz_%s\n", target.name.data());
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::fuzz::chosen->run(std::as_bytes(std::span(data, size)));
  return 0;
}
