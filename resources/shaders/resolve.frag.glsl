// From the sums of the float frame buffer to the picture: background, and the colour map of depth and accumulated alpha.
uniform sampler2D u_sums;
uniform sampler2D u_colours;
uniform vec3 u_background;
uniform int u_mode;
uniform float u_depth_unit;
uniform vec3 u_field;     // low, high (logarithms where z is 1)
uniform vec2 u_offset;    // px of the target's lower left corner
out vec4 picture;

vec3 mapped(float position) {
    return texelFetch(u_colours, ivec2(int(255.0 * clamp(position, 0.0, 1.0) + 0.5), 0), 0).rgb;
}

void main() {
    vec4 sum = texelFetch(u_sums, ivec2(gl_FragCoord.xy - u_offset), 0);
    vec3 front = sum.rgb;
    if (u_mode == 2 && sum.a > 0.0) {
        float depth = u_depth_unit * sum.r / sum.a;
        float at = (u_field.z > 0.5 ? log(max(depth, 1e-9)) : depth) - u_field.x;
        front = mapped(at / (u_field.y - u_field.x)) * sum.a;
    }
    vec3 colour = u_mode == 3 ? mapped(sum.a) : front + (1.0 - sum.a) * u_background;
    picture = vec4(clamp(colour, 0.0, 1.0), 1.0);
}
