// All of the library: secret matrices and their functions, programs of them in one process, on shapes alone and over the
// network.
#pragma once

#include "sotto/apps/library/functions.h"
#include "sotto/apps/library/matrix.h"
#include "sotto/apps/library/product.h"
#include "sotto/apps/library/secret.h"
#include "sotto/apps/library/session.h"
#include "sotto/apps/library/simulate.h"
#include "sotto/apps/run/run.h"
