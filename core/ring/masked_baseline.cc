// Masked values and symmetric matrices for any CPU.
#include "core/ring/kernels_tables.h"

namespace sotto::kernel::baseline {

#include "core/ring/masked_kernels.inc"
#include "core/ring/symmetric_kernels.inc"

}  // namespace sotto::kernel::baseline
