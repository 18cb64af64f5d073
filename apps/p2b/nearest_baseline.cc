#define SOTTO_NEAREST nearest_baseline
#define SOTTO_VECTOR_BYTES 16
#include "sotto/apps/p2b/nearest_kernel.inc"
