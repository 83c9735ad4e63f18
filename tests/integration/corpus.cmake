# Public content with its history; skipped where the corpus is not there. The number: every so many
# steps of a history are compared with a fresh full cook. All of them: corpus.py with --every 1.
function(corpus_add_test name every)
    add_test(NAME integration_corpus_${name}
        COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/corpus.py --bin ${CMAKE_BINARY_DIR}/bin
            --unpacked ${CMAKE_BINARY_DIR}/corpus --every ${every} ${name})
    set_tests_properties(integration_corpus_${name} PROPERTIES
        SKIP_RETURN_CODE 77 TIMEOUT 900 RESOURCE_LOCK corpus)
endfunction()
corpus_add_test(gltf-hexagon 1)
corpus_add_test(kenney-platformer 9)
corpus_add_test(godot-rts 30)
corpus_add_test(godot-demos 10)
