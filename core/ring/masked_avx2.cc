// Masked values and symmetric matrices for CPUs with AVX2.
#include "sotto/core/ring/kernels_tables.h"

#if defined(__AVX2__)
namespace sotto::kernel::avx2 {

#include "sotto/core/ring/masked_kernels.inc"
#include "sotto/core/ring/symmetric_kernels.inc"

}  // namespace sotto::kernel::avx2
#endif
