//! The structures that host and card share; `kernels/cuda/abi/*.h` owns them, and both sides check size and places.

/// States size and places of a structure's fields as its header does, and that it is [`Plain`].
macro_rules! layout {
    ($type:ident, $size:literal, $($field:ident = $offset:literal),+ $(,)?) => {
        const _: () = {
            assert!(size_of::<$type>() == $size);
            $(assert!(std::mem::offset_of!($type, $field) == $offset);)+
        };
        // SAFETY: `repr(C)` of numbers without padding: the places above leave no gap.
        unsafe impl Plain for $type {}
    };
}

mod cutoff;
pub mod decimate;
mod dgtd;
pub mod front_end;
mod hologram;
pub mod mom;
mod nufft;
mod reflectarray;
mod sbr;
pub mod stages;
mod state;
mod walsh;

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
