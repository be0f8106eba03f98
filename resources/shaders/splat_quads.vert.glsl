// Layout "tex": an instanced quad a splat, parameters fetched from textures; for drivers with poor geometry shaders.
in vec2 a_corner;     // -1 or 1
in float a_index;     // per instance: the depth order; whole numbers are exact in a float up to 2^24
uniform sampler2D u_geometry;  // mean and opacity; cov xx xy xz; cov yy yz zz
uniform sampler2D u_marks;     // scalar, tint
out vec2 f_sigmas;
flat out float f_opacity;
flat out vec3 f_colour;

void main() {
    int index = int(a_index + 0.5);
    ivec2 at = ivec2(index % u_sh_row, index / u_sh_row);
    vec4 mean_opacity = texelFetch(u_geometry, ivec2(3 * at.x, at.y), 0);
    vec3 cov_a = texelFetch(u_geometry, ivec2(3 * at.x + 1, at.y), 0).xyz;
    vec3 cov_b = texelFetch(u_geometry, ivec2(3 * at.x + 2, at.y), 0).xyz;
    vec2 marks = texelFetch(u_marks, at, 0).xy;
    Splat s = Splat(mean_opacity.xyz, mean_opacity.w, cov_a, cov_b, marks.x, marks.y);
    Footprint f = project(s);
    f_sigmas = vec2(0.0);
    f_opacity = s.opacity;
    f_colour = vec3(0.0);
    gl_Position = vec4(2.0, 2.0, 0.0, 1.0);  // outside the picture
    if (!f.visible) return;
    f_sigmas = f.reach * a_corner;
    f_colour = splat_colour(index, s, f.depth);
    gl_Position = to_clip(f.centre_px + f_sigmas.x * f.axis_a + f_sigmas.y * f.axis_b);
}
