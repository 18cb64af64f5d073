#if defined(__x86_64__)
#define SOTTO_NEAREST avx2_nearest_kernels
#define SOTTO_CPU_NAME "avx2"
#define SOTTO_VECTOR_BYTES 32
#include "apps/p2b/nearest_kernel.inc"
#endif
