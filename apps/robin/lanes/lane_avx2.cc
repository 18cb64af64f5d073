#if defined(__x86_64__)
#define SOTTO_LANES avx2_lane_kernels
#define SOTTO_CPU_NAME "avx2"
#define SOTTO_VECTOR_BYTES 32
#include "apps/robin/lanes/lane_kernels.inc"
#endif
