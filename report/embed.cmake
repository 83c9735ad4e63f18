# Writes a C source that holds files, as HEADER declares them:
# cmake -DOUTPUT=x.c -DHEADER=a/page.h "-DNAMES=a_html;a_css" "-DFILES=f;g" -P embed.cmake
set(text "#include \"${HEADER}\"\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
        "\\1\n" bytes "${bytes}")
    string(APPEND text "static const unsigned char ${name}_bytes[] = {\n${bytes}\n};\n"
        "const struct report_page_file ${name} = { ${name}_bytes, sizeof(${name}_bytes) };\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
