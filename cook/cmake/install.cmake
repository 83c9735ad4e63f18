# Installation and packaging. Also makes the build tree usable as an installation:
# -DCookproof_DIR=<build folder> builds a plugin against it.
#
#   bin/cook                          the command
#   libexec/cookproof/cook-VERB       the verbs, and cook-worker
#   lib/libcook.so                    the core
#   include/cook/                     the SDK, the only headers a plugin sees
#   lib/cmake/Cookproof, lib/pkgconfig, share/man/man1
include(CMakePackageConfigHelpers)
include(${CMAKE_CURRENT_LIST_DIR}/CookproofPlugin.cmake)

set(COOKPROOF_CMAKE_SOURCE ${CMAKE_CURRENT_LIST_DIR})
set(COOKPROOF_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Cookproof)
get_target_property(COOKPROOF_SOVERSION cook SOVERSION)

# What a plugin of this tree links: the library file and the SDK's headers; neither the private
# headers nor the libraries that the core is made of.
add_library(cook_sdk INTERFACE)
add_library(Cookproof::cook ALIAS cook_sdk)
target_include_directories(cook_sdk INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
target_link_libraries(cook_sdk INTERFACE $<TARGET_FILE:cook>)

install(TARGETS cook LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/cook
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${COOKPROOF_CMAKE_SOURCE}/CookproofPlugin.cmake DESTINATION ${COOKPROOF_CMAKE_DIR})

# The package file of the installation: paths relative to itself, so that a prefix can be moved.
set(COOKPROOF_CONFIG_LIBRARY
    "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_LIBDIR}/libcook.so.${COOKPROOF_SOVERSION}")
set(COOKPROOF_CONFIG_INCLUDE "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}")
set(COOKPROOF_CONFIG_PLUGIN "\${CMAKE_CURRENT_LIST_DIR}/CookproofPlugin.cmake")
set(COOKPROOF_CONFIG_COMMAND "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_BINDIR}/cook")
configure_package_config_file(${COOKPROOF_CMAKE_SOURCE}/CookproofConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/install/CookproofConfig.cmake
    INSTALL_DESTINATION ${COOKPROOF_CMAKE_DIR} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/install/CookproofConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/install/CookproofConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/install/CookproofConfigVersion.cmake
    DESTINATION ${COOKPROOF_CMAKE_DIR})

# The package file of the build tree: the same text with this tree's paths.
set(PACKAGE_INIT "")
set(COOKPROOF_CONFIG_LIBRARY "$<TARGET_FILE:cook>")
set(COOKPROOF_CONFIG_INCLUDE ${CMAKE_CURRENT_SOURCE_DIR}/include)
set(COOKPROOF_CONFIG_PLUGIN ${COOKPROOF_CMAKE_SOURCE}/CookproofPlugin.cmake)
set(COOKPROOF_CONFIG_COMMAND ${CMAKE_BINARY_DIR}/bin/cook)
configure_file(${COOKPROOF_CMAKE_SOURCE}/CookproofConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/build-tree.cmake.in @ONLY)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/CookproofConfig.cmake
    INPUT ${CMAKE_CURRENT_BINARY_DIR}/build-tree.cmake.in)

function(cookproof_pc_path out folder)
    if(IS_ABSOLUTE ${folder})
        set(${out} ${folder} PARENT_SCOPE)
    else()
        set(${out} "\${prefix}/${folder}" PARENT_SCOPE)
    endif()
endfunction()
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(COOKPROOF_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else() # relative to the .pc file, so that a prefix can be moved
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    set(COOKPROOF_PC_PREFIX "\${pcfiledir}/${up}")
    string(REGEX REPLACE "/$" "" COOKPROOF_PC_PREFIX ${COOKPROOF_PC_PREFIX})
endif()
cookproof_pc_path(COOKPROOF_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
cookproof_pc_path(COOKPROOF_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${COOKPROOF_CMAKE_SOURCE}/cookproof.pc.in
    ${CMAKE_CURRENT_BINARY_DIR}/install/cookproof.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/install/cookproof.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB man_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/*/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Verbs are defined in several folders, some of which come after this one: install what there is
# when the whole tree has been read.
function(cookproof_install_programs)
    set(verb_dir ${CMAKE_INSTALL_LIBEXECDIR}/cookproof) # called from the top: its variables only
    file(RELATIVE_PATH from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH from_verbs /${verb_dir} /${CMAKE_INSTALL_LIBDIR})
    if(TARGET cook_command)
        set_target_properties(cook_command PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin}")
        install(TARGETS cook_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
    foreach(verb worker
            init doctor full incremental incremental-validate determinism incremental-compare diff
            churn explain report reproduce nightly gate serve stage store snapshot)
        if(TARGET cook-${verb})
            set_target_properties(cook-${verb} PROPERTIES INSTALL_RPATH "$ORIGIN/${from_verbs}")
            install(TARGETS cook-${verb} RUNTIME DESTINATION ${verb_dir})
        endif()
    endforeach()
    foreach(preloaded cook-perturb cook-trace) # beside cook-worker, which they are preloaded into
        if(TARGET ${preloaded})
            install(TARGETS ${preloaded} LIBRARY DESTINATION ${verb_dir})
        endif()
    endforeach()
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL cookproof_install_programs)
