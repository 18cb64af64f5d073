// What the build writes into a test program: where the tree is, and which program is under test.
#pragma once

extern const char* const sotto_source;
extern const char* const sotto_program;
