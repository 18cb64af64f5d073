include(${CMAKE_CURRENT_LIST_DIR}/FindPlainLibrary.cmake)
find_plain_library(Sodium sodium.h sodium)
