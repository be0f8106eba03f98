// Layout "gtex": one point a splat from static buffers; the index buffer is the depth order, so gl_VertexID is the splat.
in vec4 a_mean_opacity;
in vec3 a_cov_a;
in vec3 a_cov_b;
in float a_scalar;
in float a_tint;
out vec4 v_axes;
out vec4 v_centre_reach_opacity;
out vec3 v_colour;

void main() {
    Splat s = Splat(a_mean_opacity.xyz, a_mean_opacity.w, a_cov_a, a_cov_b, a_scalar, a_tint);
    Footprint f = project(s);
    v_centre_reach_opacity = vec4(f.centre_px, f.visible ? f.reach : 0.0, s.opacity);
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    if (!f.visible) return;
    v_axes = vec4(f.axis_a, f.axis_b);
    v_colour = splat_colour(gl_VertexID, s, f.depth);
}
