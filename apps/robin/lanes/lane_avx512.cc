#if defined(__x86_64__)
#define SOTTO_LANES avx512_lane_kernels
#define SOTTO_CPU_NAME "avx512"
#define SOTTO_VECTOR_BYTES 64
#include "apps/robin/lanes/lane_kernels.inc"
#endif
