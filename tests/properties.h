// What tests of properties use besides: any input gives ...
#pragma once

#include "tests/framework.h"

// Needs the framework before it.
#include <rapidcheck/gtest.h>
