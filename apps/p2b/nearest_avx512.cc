#if defined(__x86_64__)
#define SOTTO_NEAREST avx512_nearest_kernels
#define SOTTO_CPU_NAME "avx512"
#define SOTTO_VECTOR_BYTES 64
#include "apps/p2b/nearest_kernel.inc"
#endif
