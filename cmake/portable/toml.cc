// The library toml++, compiled from the headers that Debian ships. Debian has no archive of it.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
