//! Ray casting: the nearest facet along single rays and along packets of rays.
//!
//! All ways of casting find the hit that [`brute_force`] finds, to the last bit. Tests in single precision
//! are conservative: they may keep a facet that a ray misses, and never drop one that it hits. What they keep
//! is tested in double precision by the watertight test of Woop, Benthin and Wald. `docs/math/sbr.md`,
//! section 9, has the lemmas on rounding that the error bounds in the code cite.
//!
//! # Terms
//! | term | meaning |
//! |---|---|
//! | facet | a triangle of the target; it has a number, a front and a back |
//! | R | radius of the sphere around the centre that holds the target |
//! | u, v, w | edge functions of a triangle in the frame of a ray: all of one sign where the ray hits it |
//! | major axis | the axis along which a ray runs fastest; the last one of its frame |
//! | depth | distance along the major axis from the plane of a packet, m |
//! | run | consecutive rays that differ in their origins only |
//! | packet | up to 64 rays of one frame and of nearly one direction that traverse the tree together |
//! | frustum | what bounds a packet: a rectangle on its plane and an interval of slopes along either axis |
//! | block | a leaf: up to sixteen facets in single precision, relative to the middle of the block |
//! | margin | bound on the rounding error of an edge function, m2; a function beyond it has the exact sign |
//! | filter | test in single precision with an error bound: hit, miss, or undecided |
//! | half-space rule | a reflected ray hits only facets with a corner in front of the plane that it leaves |
//! | sliver | a facet with little area for its longest side; the half-space rule does not hold for it |
//! | grazing | a direction within 1/32 rad of a plane; the half-space rule does not hold for it |
//! | escape | a reflected ray that misses the box of all in front of its facet |
//!
//! # Reading order
//! Every file uses only files before it: `interval`; `ray`, `rays`; `node`, `block`; `frustum`, `projected`,
//! `single`; `half_space`, `slabs`, `escape`; `binary`, `collapse`, `bvh`; `walk`; `lanes`, `filter`,
//! `packet`; `query`; `kdtree`, `ropes`.

pub(crate) mod binary;
mod block;
mod bvh;
mod collapse;
mod escape;
mod filter;
mod frustum;
mod half_space;
mod interval;
mod kdtree;
mod lanes;
mod node;
mod packet;
mod projected;
mod query;
mod ray;
mod rays;
mod ropes;
mod single;
mod slabs;
mod walk;

pub use bvh::Bvh;
pub use kdtree::{KdTree, LEAF, Leaf, PAD, Plane};
pub use query::Scratch;
pub use ray::{Hit, Ray, brute_force};
pub use rays::Rays;
pub use ropes::{Position, Steps};
