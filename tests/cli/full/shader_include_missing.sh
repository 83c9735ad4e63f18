project
mkdir -p Content/Shaders
printf '#version 450\n#extension GL_GOOGLE_include_directive : require\n#include "Gone.glsl"\nvoid main() {}\n' \
    >Content/Shaders/Lit.vert
cook full
