// A round helix on a ground plane, after the helix antenna of the paper, for gmsh 4 (kernel OpenCASCADE):
//   gmsh -3 -format msh22 helix.geo
//   nearfield dgtd helix.toml
// A turn is one wavelength long at 9 GHz. The conductor is a tape on the cylinder, the port is below its beginning. Groups are those of the built-in case: near, far, helix, port. Lengths are in millimetres.
SetFactory("OpenCASCADE");

radius = 5.3;
pitch = 7.6;
turns = 3;
tape = 1.9;          // width of the tape along the axis
gap = 1.9;           // height of the port
port = Pi / 4;       // angle of the port, and of the level beginning of the tape
steps = 16;          // points of a turn
near = 9.5;          // half the side of the box inside the surface of the far field
free = 13.5;         // of the box without layers
box = 22;            // of the whole
size_helix = 1.6;    // edges of elements at the tape
size_outside = 4.5;  // and elsewhere, where a wavelength is 33 mm

top = gap + turns * pitch + tape;
Box(1) = {-box, -box, 0, 2 * box, 2 * box, top + box - radius};
Box(2) = {-free, -free, 0, 2 * free, 2 * free, top + free - radius};
Box(3) = {-near, -near, 0, 2 * near, 2 * near, top + near - radius};

// The foot of the port on the ground, and the lower edge of the tape: level above the port, then rising.
Circle(1001) = {0, 0, 0, radius, 0, port};
Circle(1002) = {0, 0, gap, radius, 0, port};
last = turns * steps;
For i In {0 : last}
  angle = port + 2 * Pi * i / steps;
  Point(2000 + i) = {radius * Cos(angle), radius * Sin(angle), gap + pitch * i / steps};
EndFor
BSpline(1003) = {2000 : 2000 + last};
feed() = Extrude {0, 0, gap} { Curve{1001}; };
level() = Extrude {0, 0, tape} { Curve{1002}; };
rising() = Extrude {0, 0, tape} { Curve{1003}; };

// Cuts volumes and sheets along each other, so that they share their faces.
BooleanFragments{ Volume{1, 2, 3}; Delete; }{ Surface{feed(1), level(1), rising(1)}; Delete; }

e = 1e-3;
inner() = Volume In BoundingBox {-near - e, -near - e, -e, near + e, near + e, top + near};
outer() = Volume{:};
outer() -= {inner()};
sheets() = Surface In BoundingBox {-radius - 0.5, -radius - 0.5, -e, radius + 0.5, radius + 0.5, top + e};
gaps() = Surface In BoundingBox {-radius - 0.5, -radius - 0.5, -e, radius + 0.5, radius + 0.5, gap + e};
sheets() -= {gaps()};

Physical Volume("near") = {inner()};
Physical Volume("far") = {outer()};
Physical Surface("helix") = {sheets()};
Physical Surface("port") = {gaps()};

MeshSize{ PointsOf{ Volume{outer(), inner()}; } } = size_outside;
MeshSize{ PointsOf{ Surface{sheets(), gaps()}; } } = size_helix;
Mesh.MeshSizeExtendFromBoundary = 1;
Mesh.Algorithm3D = 1;
Mesh.Optimize = 1;
