use numerics::vec3::*;

#[test]
fn products_and_mirrors_are_those_of_geometry() {
    let (x, y, z) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
    assert_eq!([x.cross(y), y.cross(z), z.cross(x)], [z, x, y]);
    let a = Vec3::new(1.0, -2.0, 3.0);
    assert_eq!(a.mirrored(z), Vec3::new(1.0, -2.0, -3.0));
    assert_eq!((a.dot(a), a.longest_axis(), Vec3::ZERO.unit()), (14.0, 2, Vec3::ZERO));
    assert!((a.unit().length() - 1.0).abs() < 1e-15);
}
