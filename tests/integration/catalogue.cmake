# The catalogue of planted faults: one build of its plugin, another with the code that changes, and a
# library of somebody else in two versions.
set(catalogue_sources plugin.c inputs.c machine.c state.c code.c noise.c)
list(TRANSFORM catalogue_sources PREPEND catalogue/)
function(catalogue_add_library name)
    add_library(${name} SHARED catalogue/third.c)
    target_link_libraries(${name} PRIVATE cook_flags)
    target_compile_definitions(${name} PRIVATE ${ARGN})
    target_compile_options(${name} PRIVATE -ffunction-sections)
    target_link_options(${name} PRIVATE -Wl,-soname,libthird.so -Wl,--emit-relocs)
    set_target_properties(${name} PROPERTIES NO_SONAME ON C_VISIBILITY_PRESET hidden
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
catalogue_add_library(catalogue_third_1)
catalogue_add_library(catalogue_third_2 THIRD_CHANGED)
function(catalogue_add_plugin name)
    cook_add_plugin(${name} ${catalogue_sources})
    target_compile_definitions(${name} PRIVATE ${ARGN})
    target_link_libraries(${name} PRIVATE catalogue_third_1)
    # The project's own copy of the library counts, by LD_LIBRARY_PATH.
    set_target_properties(${name} PROPERTIES SKIP_BUILD_RPATH ON)
endfunction()
catalogue_add_plugin(catalogue_before)
catalogue_add_plugin(catalogue_after CHANGED)

# A sanitizer's runtime wants to be the first library of a process; the perturbations preload another.
if(NOT COOK_SANITIZE)
    add_test(NAME integration_catalogue
        COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/catalogue.py
            ${CMAKE_BINARY_DIR}/bin ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(integration_catalogue PROPERTIES TIMEOUT 300)
endif()

# Faults of other kinds, run by hand: unseen.py.
foreach(variant before after)
    cook_add_plugin(unseen_${variant} catalogue/unseen.c catalogue/unseen_cpp.cpp)
endforeach()
target_compile_definitions(unseen_after PRIVATE CHANGED)
