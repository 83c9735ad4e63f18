# cook diff and cook incremental-compare. The Arena sample's classes without a fault, and with the
# faults that the nightly sample plants: arena_hidden reads a file that no dependency knows of,
# arena_silent also saves other values without a new version.
set(compare_patches_hidden hidden-read)
set(compare_patches_silent hidden-read silent-serializer)
file(GLOB compare_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/samples/arena/Plugins/arena/*.[ch]
    ${CMAKE_SOURCE_DIR}/samples/arena/Plugins/arena/*.cpp)
foreach(variant clean hidden silent)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/compare/${variant})
    file(REMOVE_RECURSE ${folder})
    file(COPY ${compare_sources} DESTINATION ${folder}/Plugins/arena)
    foreach(patch ${compare_patches_${variant}})
        execute_process(COMMAND patch -s -p1 -d ${folder}
                -i ${CMAKE_SOURCE_DIR}/samples/nightly/${patch}.patch
            COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    file(GLOB sources ${folder}/Plugins/arena/*.c ${folder}/Plugins/arena/*.cpp)
    cook_add_plugin(arena_${variant} ${sources})
endforeach()
file(GLOB compare_patch_files ${CMAKE_SOURCE_DIR}/samples/nightly/*.patch)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${compare_sources}
    ${compare_patch_files})

add_test(NAME integration_compare
    COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/compare.py
        ${CMAKE_BINARY_DIR}/bin ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_SOURCE_DIR}/samples)
set_tests_properties(integration_compare PROPERTIES TIMEOUT 300)
