// The program of one function of targets.h, SOTTO_FUZZ_TARGET: libFuzzer drives it in a build with SOTTO_BUILD_FUZZERS,
// replay_main.cc runs it over its corpus in every other build.
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto::fuzz;
  run_target(&SOTTO_FUZZ_TARGET, std::as_bytes(std::span(data, size)));
  return 0;
}
