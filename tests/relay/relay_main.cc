// sotto_relay LISTEN TO: the relay of relay.h as a program, which obeys the lines of its standard input.
#include <cstdio>

#include "tests/relay/relay.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sotto_relay LISTEN TO, each host:port in digits\n");
    return 2;
  }
  try {
    sotto::testing::RelayLoop loop(argv[1], argv[2]);
    loop.run(STDIN_FILENO);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sotto_relay: %s\n", error.what());
    return 1;
  }
}
