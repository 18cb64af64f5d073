set(SOTTO_PACKAGE_CONTACT "sotto maintainers <maintainers@sotto.example>" CACHE STRING
    "Maintainer of the Debian packages, as NAME <ADDRESS>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sotto)
set(CPACK_PACKAGE_VENDOR sotto)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${SOTTO_PACKAGE_CONTACT}")
set(CPACK_SET_DESTDIR ON)  # files that are written at installation then name the prefix, not a folder of cpack
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageFiles.cmake)
set(CPACK_SOTTO_SOURCE ${PROJECT_SOURCE_DIR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(CPACK_COMPONENTS_ALL "")

# sotto_package(COMPONENT PACKAGE SECTION TITLE TEXT [DEPENDS ...] [CONTROL FILE...])
function(sotto_package component package section title text)
  cmake_parse_arguments(package "" "" "DEPENDS;CONTROL" ${ARGN})
  string(TOUPPER ${component} key)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${title}\n${text}" PARENT_SCOPE)
  list(JOIN package_DEPENDS ", " depends)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA "${package_CONTROL}" PARENT_SCOPE)
endfunction()

if(TARGET sotto_shared)
  # Before 1.0, a program that is linked with the library needs exactly this version.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/deploy/shlibs CONTENT "libsotto 0 libsotto0 (= ${version})\n")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/deploy/triggers CONTENT "activate-noawait ldconfig\n")
  sotto_package(runtime libsotto0 libs "secret sharing among several parties, shared library"
"Computations of 2 to 8 parties on numbers that none of them shows, by secret
sharing over the ring of 64-bit words, in one process or over TLS."
    CONTROL ${PROJECT_BINARY_DIR}/deploy/shlibs ${PROJECT_BINARY_DIR}/deploy/triggers)
  set(needs_runtime "libsotto0 (= ${version})")
endif()
sotto_dependencies(3 ${sotto_links})
sotto_package(devel libsotto-dev libdevel "secret sharing among several parties, for developers"
"The headers of libsotto, its static library, and what CMake and pkg-config
find it by. The package sotto has the pages, examples, and the program that
makes configs and keys." DEPENDS ${needs_runtime} ${found})
set(CPACK_DEBIAN_DEVEL_PACKAGE_RECOMMENDS sotto)
if(SOTTO_BUILD_APPS)
  sotto_package(programs sotto science "private contextual bandits of several organisations"
"Organisations that know different things about the same people choose well
for each of them, without showing each other anything. The program runs each
role of such a run, and of a decision service that goes on for months." CONTROL ${PROJECT_SOURCE_DIR}/apps/deploy/debian/postinst)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "systemd | systemd-standalone-sysusers | systemd-sysusers")
endif()
if(SOTTO_PYTHON)  # the files that apps/python installs as the component python
  sotto_package(python python3-sotto python "private contextual bandits of several organisations, for Python 3"
"The bandits and computations of sotto on arrays of numpy: planned, simulated,
run as one role over TLS, and calls of live roles; with a page, a notebook and
examples. The package sotto has all pages, and makes configs and keys." DEPENDS "python3 (>= 3.11)" "python3 (<< 3.12)" python3-numpy)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS sotto)  # that package has the pages, and makes configs
endif()
include(CPack)
