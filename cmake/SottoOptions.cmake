include_guard()
include(SottoArchives)

option(SOTTO_BUILD_APPS "Build the sotto command" ${PROJECT_IS_TOP_LEVEL})
option(SOTTO_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SOTTO_ALL_TESTS "Build the tests that scripts/test --rest runs as well" ${PROJECT_IS_TOP_LEVEL})
option(SOTTO_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(SOTTO_BUILD_BENCH "Build sotto-lab and the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(SOTTO_PYTHON "Build the Python package, which takes pybind11, and a Python with numpy" OFF)
option(SOTTO_BUILD_FUZZERS "Build the libFuzzer targets (clang only)" OFF)
option(SOTTO_INSTALL "Write the rules of cmake --install" ${PROJECT_IS_TOP_LEVEL})
option(SOTTO_WARNINGS_AS_ERRORS "Treat warnings in the project's own code as errors; the presets of CI alone do" OFF)
option(SOTTO_ARCHIVES "Link the programs with the archives of OpenSSL, SQLite, libsodium and utf8proc: they answer sooner, and have to be built again after an update of those" ON)
option(SOTTO_UNITY "Compile each folder's sources as one: much faster from nothing, slower after a change" ON)
if(PROJECT_IS_TOP_LEVEL)  # otherwise the other project decides
  option(BUILD_SHARED_LIBS "Also make the shared library, libsotto.so.0" OFF)
endif()
set(SOTTO_SANITIZE "" CACHE STRING "Sanitizers to build with: empty, address;undefined, or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ${PROJECT_IS_TOP_LEVEL})

# Three quarters of the text that a compiler reads here are headers of the standard library.
set(SOTTO_STANDARD_HEADERS <algorithm> <array> <atomic> <chrono> <filesystem> <functional> <map> <memory> <optional> <string>
    <vector>)
# Without SOTTO_UNITY, a changed source builds faster if SOTTO_PROGRAM_HEADERS are not precompiled.
set(SOTTO_PROGRAM_HEADERS "")
if(SOTTO_UNITY)
  set(SOTTO_PROGRAM_HEADERS "${PROJECT_SOURCE_DIR}/apps/kit/files/json.h" "${PROJECT_SOURCE_DIR}/include/sotto/protocol.h")
endif()

# sotto_precompile(TARGET FIRST HEADER...): FIRST precompiles the headers, and every other target of its kind reuses the
# result.
function(sotto_precompile target first)
  if(${target} STREQUAL ${first})
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# sotto_add_layer(NAME FOLDER [FIRST HEADER...]): FIRST is the layer that precompiles headers for the new layer.
function(sotto_add_layer name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cc")
  list(FILTER sources EXCLUDE REGEX "/(examples/.*|sotto|sotto_demo|sotto_lab)\\.cc$")
  add_library(sotto_${name} STATIC ${sources})
  add_library(sotto::${name} ALIAS sotto_${name})
  set_target_properties(sotto_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(sotto_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  sotto_compile_options(sotto_${name})
  sotto_unity(sotto_${name})
  if(NOT ARGN)
    set(ARGN core)
  endif()
  list(POP_FRONT ARGN first)
  sotto_precompile(sotto_${name} sotto_${first} ${SOTTO_STANDARD_HEADERS} <fmt/format.h> ${ARGN})
endfunction()

# sotto_unity(TARGET [FOLDER...]) compiles the sources of a folder as one source, which more than halves the time of the
# build. Each given FOLDER includes the folders below it, except other given folders. Two files of a folder may not
# define the same name, even in anonymous namespaces.
function(sotto_unity target)
  if(NOT SOTTO_UNITY)
    return()
  endif()
  list(SORT ARGN ORDER DESCENDING)  # a folder comes after the folders below it
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE)
    get_filename_component(folder "${path}" DIRECTORY)
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" folder "${folder}")
    foreach(unit IN LISTS ARGN)
      if("${folder}/" MATCHES "^${unit}/")
        set(folder ${unit})
        break()
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A warning about shadowing would also report names of other sources. g++ treats the sources as headers, and warns
  # about names that are local to a source.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# sotto_together(TARGET FOLDER...): with SOTTO_UNITY, compiles the sources of these folders as one, which saves the time
# of headers and templates that all of them read. No two of the sources may define the same name.
function(sotto_together target)
  if(NOT SOTTO_UNITY)
    return()
  endif()
  list(GET ARGN 0 first)
  string(MAKE_C_IDENTIFIER "${first}" group)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${folder}")
    if(folder IN_LIST ARGN)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()

# sotto_alone(SOURCE...): sources that SOTTO_UNITY does not compile with their folder. A program can then take the objects
# of the folder and leave these.
function(sotto_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# sotto_take_objects(TARGET NAME FOLDER... [GENERATED FILE...] [LEAVING FILE...]) links objects of the layer NAME into a
# program. These are the objects of the folders, without the folders below and without LEAVING, and those of the
# generated sources. Ninja builds only these objects, while $<TARGET_OBJECTS> would wait for the whole layer. Without
# SOTTO_UNITY or Ninja the whole layer is linked.
function(sotto_take_objects target name)
  cmake_parse_arguments(take "" "" "GENERATED;LEAVING" ${ARGN})
  if(NOT SOTTO_UNITY OR NOT CMAKE_GENERATOR STREQUAL "Ninja")
    target_link_libraries(${target} PRIVATE sotto_${name})
    return()
  endif()
  get_target_property(sources sotto_${name} SOURCES)
  get_target_property(from sotto_${name} SOURCE_DIR)
  get_target_property(to sotto_${name} BINARY_DIR)
  set(objects ${take_GENERATED})
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${from}")
    get_filename_component(folder "${path}" DIRECTORY)
    get_filename_component(file "${path}" NAME)
    file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${folder}")
    if(NOT folder IN_LIST take_UNPARSED_ARGUMENTS OR file IN_LIST take_LEAVING)
      continue()
    endif()
    get_source_file_property(options "${path}" TARGET_DIRECTORY sotto_${name} COMPILE_OPTIONS)
    get_source_file_property(definitions "${path}" TARGET_DIRECTORY sotto_${name} COMPILE_DEFINITIONS)
    get_source_file_property(alone "${path}" TARGET_DIRECTORY sotto_${name} SKIP_UNITY_BUILD_INCLUSION)
    if(options OR definitions OR alone)
      file(RELATIVE_PATH object "${from}" "${path}")
    else()
      get_source_file_property(group "${path}" TARGET_DIRECTORY sotto_${name} UNITY_GROUP)
      set(object Unity/unity_${group}_cxx.cxx)
    endif()
    list(APPEND objects ${object})
  endforeach()
  list(REMOVE_DUPLICATES objects)
  list(TRANSFORM objects REPLACE "(.+)" "${to}/CMakeFiles/sotto_${name}.dir/\\1.o")
  target_link_libraries(${target} PRIVATE ${objects})
endfunction()

# sotto_optimize(NAME LEVEL [FOLDER...]): in a release, compiles the layer NAME with -O<LEVEL>. If folders are given,
# only these folders of the layer get the level. Such a folder uses no precompiled headers, because g++ compiles the
# intrinsics in a precompiled header at the level of the header.
function(sotto_optimize name level)
  set(option $<$<CONFIG:Release>:-O${level}>)
  if(NOT ARGN)
    target_compile_options(sotto_${name} PRIVATE ${option})
    return()
  endif()
  get_target_property(sources sotto_${name} SOURCES)
  foreach(folder IN LISTS ARGN)
    if(SOTTO_UNITY)  # sets the option on the unity source, which leaves out each source with an option of its own
      string(MAKE_C_IDENTIFIER "${folder}" group)
      set(of_folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/sotto_${name}.dir/Unity/unity_${group}_cxx.cxx")
    else()
      set(of_folder ${sources})
      list(FILTER of_folder INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${folder}/[^/]*$")
    endif()
    set_property(SOURCE ${of_folder} APPEND PROPERTY COMPILE_OPTIONS ${option})
    set_property(SOURCE ${of_folder} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endfunction()

function(sotto_kernels)
  cmake_parse_arguments(kernels "" "" "OPTIONS" ${ARGN})
  set_source_files_properties(${kernels_UNPARSED_ARGUMENTS} PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>;${kernels_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

set(SOTTO_FLOW_WARNINGS_OFF "")
foreach(warning array-bounds dangling-pointer free-nonheap-object infinite-recursion maybe-uninitialized
        mismatched-new-delete null-dereference nonnull restrict return-local-addr stringop-overflow stringop-overread
        stringop-truncation strict-aliasing strict-overflow uninitialized use-after-free)
  list(APPEND SOTTO_FLOW_WARNINGS_OFF -Wno-${warning})
endforeach()

cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
set(SOTTO_ROOMY_COMPILER "")
if(memory GREATER 12000)
  set(SOTTO_ROOMY_COMPILER --param=ggc-min-heapsize=1048576)
endif()

# gold needs less than half the time of the default linker of g++.
set(SOTTO_QUICK_LINKER "")
if(SOTTO_BUILD_TESTS OR SOTTO_BUILD_EXAMPLES)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=gold SOTTO_HAS_GOLD)
  if(SOTTO_HAS_GOLD)
    set(SOTTO_QUICK_LINKER -fuse-ld=gold)
  endif()
endif()

function(sotto_compile_options target)
  get_target_property(type ${target} TYPE)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                         -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Most warnings of g++'s optimizer are false, and they change with every level and header.
    target_compile_options(${target} PRIVATE ${SOTTO_FLOW_WARNINGS_OFF})
    # With its default limit of memory, g++ collects garbage early and often, which takes a tenth of its time.
    target_compile_options(${target} PRIVATE ${SOTTO_ROOMY_COMPILER})
  endif()
  if(SOTTO_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SOTTO_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(SOTTO_SANITIZE)
    list(JOIN SOTTO_SANITIZE "," sanitizers)
    set(flags -fsanitize=${sanitizers} -fno-omit-frame-pointer -g1 -O1)
    if("undefined" IN_LIST SOTTO_SANITIZE)
      list(APPEND flags -fno-sanitize-recover=undefined)
      # The sanitizer's check of objects' types needs a pipe, and fails if a test leaves no free descriptors.
      list(APPEND flags -fno-sanitize=vptr)
      if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # clang 14 to 16 cannot assemble coroutines with the check of function pointers' types.
        list(APPEND flags -fno-sanitize=function)
      endif()
    endif()
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:${flags}>)
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${sanitizers}>)
    if(type STREQUAL "EXECUTABLE" AND "address" IN_LIST SOTTO_SANITIZE)
      # At fixed addresses a program starts in five sixths of the time, and the tests start thousands of programs.
      target_link_options(${target} PRIVATE -no-pie)
    endif()
  endif()
endfunction()
