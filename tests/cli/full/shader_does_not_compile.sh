project
mkdir -p Content/Shaders
cat >Content/Shaders/Lit.frag <<'GLSL'
#version 450
layout(location = 0) out vec4 color;
void main()
{
    color = light();
}
GLSL
cook full
