cmake_policy(VERSION 3.22)

# The line between what libsotto promises and what may change in any version: the public headers of each of its layers, as
# files, or as folders with all their headers. sotto/LAYER.h includes those of a layer. What they include is installed with
# them; everything else stays in this tree.
#
# The layers that make libsotto, each behind those that it uses; a build without programs has the first four.
set(SOTTO_LAYERS core protocols library net kit bandit run)
set(sotto_public_core
    core/async/task.h core/async/when_all.h core/error/errors.h core/party/ledger.h core/party/party.h
    core/party/preprocessing.h core/party/rounds.h core/party/topology.h core/random/prg.h core/random/seed.h
    core/ring/fixed_point.h core/sharing)
set(sotto_public_protocols
    protocols/arithmetic protocols/boolean protocols/compare protocols/convert protocols/io protocols/lookup protocols/math
    protocols/preprocessing/next_stretch.h protocols/preprocessing/planned.h protocols/preprocessing/randomness_by.h
    protocols/sets protocols/simulate protocols/summation)
set(sotto_public_library
    apps/library/functions.h apps/library/matrix.h apps/library/product.h apps/library/secret.h apps/library/session.h
    apps/library/simulate.h)
set(sotto_public_net
    net/mesh/driver/options.h net/mesh/driver/run.h net/mesh/driver/session.h net/mesh/mesh.h net/mesh/peers.h
    net/mesh/run_program.h net/mesh/wrap.h net/transport/descriptor_stream.h net/transport/stream.h
    net/transport/tcp/address.h net/transport/tcp/listener.h net/transport/tls/identity.h)
set(sotto_public_kit "")
set(sotto_public_bandit apps/bandit/linked)
set(sotto_public_run apps/run/run.h)
# Installed as sotto/sotto.h: what most programs need.
set(sotto_umbrella apps/run/sotto.h)

# The folder of a layer.
function(sotto_folder_of layer result)
  set(folder ${layer})
  if(layer MATCHES "^(library|kit|bandit|run)$")
    set(folder apps/${layer})
  endif()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

# sotto_public_headers(ROOT LAYER RESULT): the layer's public headers in the tree ROOT, below that.
function(sotto_public_headers root layer result)
  set(headers "")
  sotto_folder_of(${layer} folder)
  foreach(path IN LISTS sotto_public_${layer})
    set(found ${path})
    if(NOT path MATCHES "\\.h$")
      file(GLOB found RELATIVE ${root} ${root}/${path}/*.h)
    elseif(NOT IS_DIRECTORY ${root}/${folder})
      continue()  # a tree without this layer
    elseif(NOT EXISTS ${root}/${path})
      message(FATAL_ERROR "cmake/PublicHeaders.cmake: there is no ${path}")
    endif()
    list(APPEND headers ${found})
  endforeach()
  list(SORT headers)
  set(${result} "${headers}" PARENT_SCOPE)
endfunction()

# sotto_headers_along(ROOT RESULT HEADER...): the headers, and those of the tree that they include.
function(sotto_headers_along root result)
  set(waiting ${ARGN})
  set(known "")
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST known)
      continue()
    endif()
    list(APPEND known ${header})
    file(STRINGS ${root}/${header} lines REGEX "^#include \"sotto/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"sotto/(.*)\".*" "\\1" included "${line}")
      list(APPEND waiting ${included})
    endforeach()
  endwhile()
  list(SORT known)
  set(${result} ${known} PARENT_SCOPE)
endfunction()

# sotto_all_public_headers(ROOT RESULT LAYER...): those of the layers.
function(sotto_all_public_headers root result)
  set(all "")
  foreach(layer IN LISTS ARGN)
    sotto_public_headers(${root} ${layer} headers)
    list(APPEND all ${headers})
  endforeach()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# cmake -DROOT=.. -P PublicHeaders.cmake prints them, a line each.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  sotto_all_public_headers(${ROOT} headers ${SOTTO_LAYERS})
  list(JOIN headers "\n" lines)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${lines}")
endif()
