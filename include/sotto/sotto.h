// Includes the whole library: secret matrices, their functions, and functions that run programs in one process, on
// shapes only, or over the network.
#pragma once

#include "sotto/functions.h"
#include "sotto/matrix.h"
#include "sotto/product.h"
#include "sotto/run.h"
#include "sotto/secret.h"
#include "sotto/session.h"
#include "sotto/simulate.h"
