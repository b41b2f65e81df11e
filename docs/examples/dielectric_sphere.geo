// A sphere of 300 mm in a cube with the total field and a box round it, for gmsh 4 (kernel OpenCASCADE):
//   gmsh -3 -format msh22 dielectric_sphere.geo
//   nearfield dgtd dielectric_sphere.toml
// Groups are those of the built-in case: scattered, total, sphere. Lengths are in metres.
SetFactory("OpenCASCADE");

radius = 0.30;
half_total = 0.38;   // half the side of the cube with the total field
half_box = 0.90;     // half the side of the whole box
size_sphere = 0.06;  // edges of elements inside the sphere: a wavelength there is 0.17
size_outside = 0.12; // and outside it, where a wavelength is 0.33

Box(1) = {-half_box, -half_box, -half_box, 2 * half_box, 2 * half_box, 2 * half_box};
Box(2) = {-half_total, -half_total, -half_total, 2 * half_total, 2 * half_total, 2 * half_total};
Sphere(3) = {0, 0, 0, radius};

// Cuts the volumes along each other, so that they share their faces.
BooleanFragments{ Volume{1}; Delete; }{ Volume{2, 3}; Delete; }

ball() = Volume In BoundingBox {-radius - 1e-3, -radius - 1e-3, -radius - 1e-3, radius + 1e-3, radius + 1e-3, radius + 1e-3};
inner() = Volume In BoundingBox {-half_total - 1e-3, -half_total - 1e-3, -half_total - 1e-3, half_total + 1e-3, half_total + 1e-3, half_total + 1e-3};
inner() -= {ball()};
outer() = Volume{:};
outer() -= {ball(), inner()};

Physical Volume("scattered") = {outer()};
Physical Volume("total") = {inner()};
Physical Volume("sphere") = {ball()};

MeshSize{ PointsOf{ Volume{outer(), inner()}; } } = size_outside;
MeshSize{ PointsOf{ Volume{ball()}; } } = size_sphere;
Mesh.MeshSizeExtendFromBoundary = 1;
Mesh.Algorithm3D = 1;
Mesh.Optimize = 1;
