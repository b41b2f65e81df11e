//! A card with its libraries.

use crate::error::Error;
use kernels::dense::Library;
use kernels::{Device, Stream};

/// A card with its libraries, which take their time to open.
pub struct Card {
    /// Its queue.
    pub stream: Stream,
    /// cuSOLVER and cuBLAS.
    pub library: Library,
}

impl Card {
    /// Opens everything.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let stream = device.stream()?;
        let library = Library::new(&stream)?;
        Ok(Self { stream, library })
    }
}
