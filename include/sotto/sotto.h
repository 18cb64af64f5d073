// The whole library: secret matrices and their functions, and programs of them in one process, on shapes only and over
// the network.
#pragma once

#include "sotto/functions.h"
#include "sotto/matrix.h"
#include "sotto/product.h"
#include "sotto/run.h"
#include "sotto/secret.h"
#include "sotto/session.h"
#include "sotto/simulate.h"
