// Masked values and symmetric matrices for any CPU.
#include "sotto/core/ring/kernels_tables.h"

namespace sotto::kernel::baseline {

#include "sotto/core/ring/masked_kernels.inc"
#include "sotto/core/ring/symmetric_kernels.inc"

}  // namespace sotto::kernel::baseline
