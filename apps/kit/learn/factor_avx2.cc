#if defined(__x86_64__)
#define SOTTO_FACTORS avx2_factor_kernels
#define SOTTO_CPU_NAME "avx2"
#define SOTTO_VECTOR_BYTES 32
#define SOTTO_TILE_ROWS 3
#define SOTTO_PANEL_ROWS 4
#include "apps/kit/learn/factor_kernels.inc"
#endif
