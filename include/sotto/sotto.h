// All of the library: secret matrices and their functions, programs of them in one process, on shapes alone and over
// the network.
#pragma once

#include "sotto/functions.h"
#include "sotto/matrix.h"
#include "sotto/product.h"
#include "sotto/run.h"
#include "sotto/secret.h"
#include "sotto/session.h"
#include "sotto/simulate.h"
