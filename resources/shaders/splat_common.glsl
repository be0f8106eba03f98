// The maths that both layouts share: EWA projection of one splat, its view-dependent colour, and the mode's colour.
// Formulas: science.md E.1 and E.2 (3D Gaussian Splatting; gsplat's principal-point aware clamp of the ray slope).

uniform mat4 u_camera_from_world;
uniform vec4 u_intrinsics;      // fx, fy, cx, cy in px
uniform vec2 u_size;            // width, height in px
uniform vec4 u_slopes;          // largest |x|/z to the left and right, |y|/z to the top and bottom, for the Jacobian
uniform vec3 u_eye;             // camera centre, world units
uniform float u_near;           // world units
uniform float u_depth_unit;     // depth is summed in this unit, so that half floats keep their digits
uniform float u_point_radius;   // px
uniform float u_tint_strength;
uniform vec3 u_tint;
uniform vec3 u_no_value;        // colour of a splat without a number
uniform int u_mode;             // 0 rgb, 1 scalar, 2 depth, 3 alpha
uniform int u_points;           // 1: dots instead of splats
uniform int u_sh_degree;
uniform int u_sh_groups;        // four coefficients in three texels make a group
uniform int u_sh_row;           // splats in a row of the texture
uniform sampler2D u_sh;
uniform sampler2D u_colours;    // 256 x 1

const float MIN_ALPHA = 1.0 / 255.0;

struct Splat {
    vec3 mean;
    float opacity;
    vec3 cov_a;   // xx, xy, xz
    vec3 cov_b;   // yy, yz, zz
    float scalar; // 0..1 along the colour map, or below 0
    float tint;   // 1 where tinted
};

struct Footprint {
    bool visible;
    vec2 centre_px;
    vec2 axis_a;  // px; one standard deviation along the ellipse's axes
    vec2 axis_b;
    float reach;  // standard deviations to the contour alpha = 1/255
    float depth;
};

Footprint project(Splat s) {
    Footprint f;
    vec3 p = (u_camera_from_world * vec4(s.mean, 1.0)).xyz;
    f.depth = p.z;
    f.visible = p.z > u_near && s.opacity >= MIN_ALPHA;
    if (!f.visible) return f;
    f.centre_px = u_intrinsics.xy * p.xy / p.z + u_intrinsics.zw;
    if (u_points == 1) {
        f.axis_a = vec2(1.0, 0.0);
        f.axis_b = vec2(0.0, 1.0);
        f.reach = u_point_radius;
        return f;
    }
    float tx = clamp(p.x / p.z, -u_slopes.x, u_slopes.y);
    float ty = clamp(p.y / p.z, -u_slopes.z, u_slopes.w);
    mat3 cov = mat3(s.cov_a, vec3(s.cov_a.y, s.cov_b.xy), vec3(s.cov_a.z, s.cov_b.yz));
    mat3 to_camera = transpose(mat3(u_camera_from_world));
    vec3 jx = to_camera * (u_intrinsics.x / p.z * vec3(1.0, 0.0, -tx));
    vec3 jy = to_camera * (u_intrinsics.y / p.z * vec3(0.0, 1.0, -ty));
    vec3 cx = cov * jx;
    float a = dot(jx, cx) + 0.3;
    float b = dot(jy, cx);
    float c = dot(jy, cov * jy) + 0.3;
    // Eigenvalues: the small one as determinant / large one, or it drowns in the rounding of the difference.
    float mid = 0.5 * (a + c);
    float half_gap = length(vec2(0.5 * (a - c), b));
    float large = mid + half_gap;
    float small = max((a * c - b * b) / large, 0.09);
    vec2 axis = half_gap < 1e-12 * mid ? vec2(1.0, 0.0)
        : (a >= c ? normalize(vec2(0.5 * (a - c) + half_gap, b)) : normalize(vec2(b, 0.5 * (c - a) + half_gap)));
    f.axis_a = axis * sqrt(large);
    f.axis_b = vec2(-axis.y, axis.x) * sqrt(small);
    f.reach = sqrt(2.0 * log(255.0 * s.opacity));
    return f;
}

vec4 to_clip(vec2 px) {
    return vec4(2.0 * px.x / u_size.x - 1.0, 1.0 - 2.0 * px.y / u_size.y, 0.0, 1.0);
}

void sh_group(int splat, int group, out vec3 k0, out vec3 k1, out vec3 k2, out vec3 k3) {
    ivec2 at = ivec2((splat % u_sh_row) * 3 * u_sh_groups + 3 * group, splat / u_sh_row);
    vec4 t0 = texelFetch(u_sh, at, 0);
    vec4 t1 = texelFetch(u_sh, at + ivec2(1, 0), 0);
    vec4 t2 = texelFetch(u_sh, at + ivec2(2, 0), 0);
    k0 = t0.xyz;
    k1 = vec3(t0.w, t1.xy);
    k2 = vec3(t1.zw, t2.x);
    k3 = t2.yzw;
}

vec3 sh_colour(int splat, vec3 mean) {
    vec3 k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15;
    vec3 d = normalize(mean - u_eye);
    float x = d.x, y = d.y, z = d.z, xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
    sh_group(splat, 0, k0, k1, k2, k3);
    vec3 c = 0.28209479177387814 * k0;
    if (u_sh_degree > 0) c += 0.4886025119029199 * (-y * k1 + z * k2 - x * k3);
    if (u_sh_degree > 1) {
        sh_group(splat, 1, k4, k5, k6, k7);
        sh_group(splat, 2, k8, k9, k10, k11);
        c += 1.0925484305920792 * (x * y * k4 - y * z * k5 - x * z * k7)
            + 0.31539156525252005 * (2.0 * zz - xx - yy) * k6 + 0.5462742152960396 * (xx - yy) * k8;
    }
    if (u_sh_degree > 2) {
        sh_group(splat, 3, k12, k13, k14, k15);
        c += -0.5900435899266435 * (y * (3.0 * xx - yy) * k9 + x * (xx - 3.0 * yy) * k15)
            + 2.890611442640554 * x * y * z * k10
            - 0.4570457994644658 * (4.0 * zz - xx - yy) * (y * k11 + x * k13)
            + 0.3731763325901154 * z * (2.0 * zz - 3.0 * xx - 3.0 * yy) * k12
            + 1.445305721320277 * z * (xx - yy) * k14;
    }
    return max(c + 0.5, 0.0);
}

vec3 muted(vec3 colour) {
    return vec3(0.6 * dot(colour, vec3(0.299, 0.587, 0.114)));
}

vec3 splat_colour(int index, Splat s, float depth) {
    if (u_mode == 2) return vec3(depth / u_depth_unit, 0.0, 0.0);
    if (u_mode == 3) return vec3(0.0);
    if (u_mode == 1) {
        vec3 mapped = texelFetch(u_colours, ivec2(int(255.0 * s.scalar + 0.5), 0), 0).rgb;
        vec3 shown = s.scalar < 0.0 ? u_no_value : mapped;
        // What is pointed at keeps the colour that the legend explains; the rest becomes a grey picture of the scene.
        if (u_tint_strength == 0.0 || s.tint > 0.5) return shown;
        return mix(shown, muted(sh_colour(index, s.mean)), u_tint_strength);
    }
    vec3 colour = sh_colour(index, s.mean);
    return mix(colour, s.tint > 0.5 ? u_tint : muted(colour), u_tint_strength);
}
