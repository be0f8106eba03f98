// Layout "gtex": the point becomes the smallest rectangle around the contour alpha = 1/255.
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
in vec4 v_axes[];
in vec4 v_centre_reach_opacity[];
in vec3 v_colour[];
out vec2 f_sigmas;
flat out float f_opacity;
flat out vec3 f_colour;

uniform vec2 u_size;

void main() {
    vec4 footprint = v_centre_reach_opacity[0];
    if (footprint.z <= 0.0) return;
    for (int corner = 0; corner < 4; ++corner) {
        f_sigmas = footprint.z * vec2(corner % 2 == 0 ? -1.0 : 1.0, corner < 2 ? -1.0 : 1.0);
        vec2 px = footprint.xy + f_sigmas.x * v_axes[0].xy + f_sigmas.y * v_axes[0].zw;
        f_opacity = footprint.w;
        f_colour = v_colour[0];
        gl_Position = vec4(2.0 * px.x / u_size.x - 1.0, 1.0 - 2.0 * px.y / u_size.y, 0.0, 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
