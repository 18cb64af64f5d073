// The tables behind expansion.h. Only expansion.cc and the files that define them include this.
//
// expansion_avx2.cc and expansion_avx512.cc are compiled for those CPUs and therefore hold
// intrinsics and raw pointers only: an inline function of the library, compiled there, might be the
// copy that the linker keeps for all.
#pragma once

#include "sotto/core/random/expansion.h"

namespace sotto::kernel {

extern const Expansion baseline_expansion;
extern const Expansion avx2_expansion;
extern const Expansion avx512_expansion;

// By AES-NI, for the tables of both kinds of CPU that have it.
void aes_schedule(unsigned char* round_keys, const unsigned char* key);

}  // namespace sotto::kernel
