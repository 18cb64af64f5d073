// The program of one function of targets.h, SOTTO_FUZZ_TARGET: libFuzzer drives it in a build with SOTTO_BUILD_FUZZERS,
// replay_main.cc runs it over its corpus in every other build.
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {
namespace {

[[maybe_unused]] void run_target(void (*target)(Input), Input input) { target(input); }
[[maybe_unused]] void run_target(void (*target)(const std::filesystem::path&), Input input) {
  target(MemoryFile(input).path());
}

}  // namespace
}  // namespace sotto::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto::fuzz;
  run_target(&SOTTO_FUZZ_TARGET, std::as_bytes(std::span(data, size)));
  return 0;
}
