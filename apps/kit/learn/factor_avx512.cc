#if defined(__x86_64__)
#define SOTTO_FACTORS avx512_factor_kernels
#define SOTTO_CPU_NAME "avx512"
#define SOTTO_VECTOR_BYTES 64
#define SOTTO_TILE_ROWS 6
#define SOTTO_PANEL_ROWS 8
#include "apps/kit/learn/factor_kernels.inc"
#endif
