// The whole library.
#pragma once

#include "sotto/functions.h"
#include "sotto/matrix.h"
#include "sotto/product.h"
#include "sotto/run.h"
#include "sotto/secret.h"
#include "sotto/session.h"
#include "sotto/simulate.h"
