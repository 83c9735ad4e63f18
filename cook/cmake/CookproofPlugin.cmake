# cook_add_plugin(NAME SOURCES…): build a class plugin, NAME.so.
#
# Shared by Cookproof's own tree and by installations. The plugin links Cookproof::cook and is built
# with what callstacks in reports need: debug information, a build id, frame pointers, and no tail
# calls (a tail call would drop its caller's frame). The result lies in the current build folder, so
# that a plugin in PROJECT/Plugins/NAME that is built in its `build` folder is found by the entry
# `+Plugin=Plugins/NAME` of cook.ini.

# Source paths in debug information are made relative to the project (the nearest folder above that
# holds a cook.ini), so that callstacks read, and group, the same on every machine.

function(cook_plugin_project_of folder out)
    set(${out} "" PARENT_SCOPE)
    while(TRUE)
        if(EXISTS ${folder}/cook.ini)
            set(${out} ${folder} PARENT_SCOPE)
            return()
        endif()
        cmake_path(GET folder PARENT_PATH parent)
        if(parent STREQUAL folder)
            return()
        endif()
        set(folder ${parent})
    endwhile()
endfunction()

function(cook_add_plugin name)
    if(NOT ARGN)
        message(FATAL_ERROR "cook_add_plugin(${name}): give at least one source file")
    endif()
    add_library(${name} MODULE ${ARGN})
    set_target_properties(${name} PROPERTIES
        PREFIX "" OUTPUT_NAME ${name} SUFFIX .so
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
        POSITION_INDEPENDENT_CODE ON
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
    target_compile_features(${name} PRIVATE c_std_17 cxx_std_17)
    target_compile_options(${name} PRIVATE
        -g -fno-optimize-sibling-calls -fno-omit-frame-pointer
        # What calls what, kept in the library: two builds are compared function by function.
        -ffunction-sections -fdata-sections
        # One frame a function: not one for each part that the compiler makes of it, nor one for two
        # functions that say the same.
        "$<$<OR:$<COMPILE_LANG_AND_ID:C,GNU>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-fno-partial-inlining;-fno-ipa-icf>"
        $<$<CONFIG:>:-O2>) # no build type named: the code that a release would have
    # The workers load a copy named by build id: the soname is what reports call it.
    target_link_options(${name} PRIVATE
        -Wl,--build-id -Wl,--emit-relocs -Wl,-soname,${name}.so)
    target_link_libraries(${name} PRIVATE Cookproof::cook)
    if(TARGET cook_flags) # in Cookproof's own tree: its warnings and sanitizers
        target_link_libraries(${name} PRIVATE cook_flags)
    endif()
    cook_plugin_project_of(${CMAKE_CURRENT_SOURCE_DIR} project)
    if(project)
        target_compile_options(${name} PRIVATE -ffile-prefix-map=${project}/=)
    endif()
    if(TARGET cook)
        add_dependencies(${name} cook)
    endif()
endfunction()
