project
mkdir -p Content/Shaders
printf 'vec4 light()\n{\n    return 1.0;\n}\n' >Content/Shaders/Light.glsl
cat >Content/Shaders/Lit.frag <<'GLSL'
#version 450
#extension GL_GOOGLE_include_directive : require
#include "Light.glsl"
layout(location = 0) out vec4 color;
void main()
{
    color = light();
}
GLSL
cook full
