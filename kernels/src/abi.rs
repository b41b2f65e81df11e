//! The structures that host and card share, as `build/` reads them from `kernels/cuda/abi/*.h`, which owns them; both sides check size and places.

include!(concat!(env!("OUT_DIR"), "/abi.rs"));

pub use cutoff::{CutoffCircle, CutoffEstimate, CutoffSettings, CutoffWave};
pub use dgtd::{Dgtd, DgtdGap, DgtdPort};
pub use front_end::FrontEnd;
pub use hologram::Hologram;
pub use mom::{Mom, MomCell, MomHankel, MomInterval, MomNode};
pub use nufft::NufftGrid;
pub use reflectarray::{LbfgsSearch, LbfgsSettings, Reflectarray};
pub use sbr::{Sbr, SbrCell, SbrEdge, SbrFace, SbrLaunch, SbrPart, SbrPolygon, SbrRay, SbrReceiver, SbrSeed};
pub use state::State;
pub use walsh::Walsh;
