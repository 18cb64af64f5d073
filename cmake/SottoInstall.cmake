# `cmake --install` puts the command, the data that comes with it, the three library layers and their headers where a
# shell and find_package(sotto) find them.
include(CMakePackageConfigHelpers)

install(TARGETS sotto_core sotto_protocols sotto_net EXPORT sottoTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(SOTTO_BUILD_APPS)
  install(TARGETS sotto RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)  # what follows is printed by the program itself
    foreach(page man completion)
      install(CODE "execute_process(COMMAND \"$<TARGET_FILE:sotto>\" help --${page} OUTPUT_FILE \"${PROJECT_BINARY_DIR}/sotto.${page}\")")
    endforeach()
    install(FILES ${PROJECT_BINARY_DIR}/sotto.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME sotto.1)
    install(FILES ${PROJECT_BINARY_DIR}/sotto.completion RENAME sotto
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  endif()
endif()
foreach(layer core protocols net)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sotto
          FILES_MATCHING PATTERN "*.h" PATTERN "*.inc"
          PATTERN "net/transport/asio.h" EXCLUDE)  # for .cc files: no installed header shows Asio
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sottoConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/sottoConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
