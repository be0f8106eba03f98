// One pixel of one splat: alpha by its distance in standard deviations, colour premultiplied for back-to-front blending.
in vec2 f_sigmas;
flat in float f_opacity;
flat in vec3 f_colour;
uniform int u_points;
uniform float u_point_radius;
out vec4 sum;

void main() {
    float distance2 = dot(f_sigmas, f_sigmas);
    if (u_points == 1) {
        if (distance2 > u_point_radius * u_point_radius) discard;
        sum = vec4(f_colour, 1.0);
        return;
    }
    float alpha = min(0.99, f_opacity * exp(-0.5 * distance2));
    if (alpha < 1.0 / 255.0) discard;
    sum = vec4(f_colour * alpha, alpha);
}
