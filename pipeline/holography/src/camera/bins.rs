//! The front end of a camera, on the CPU or on a card.

use crate::cuda::Number;
use kernels::{Device, Stream};
use num_complex::Complex;
use signal::front_end::{self, FrontEnd, FrontEndError, Settings};

/// From rows to bins of all channels.
pub enum Bins<T> {
    Cpu(Box<FrontEnd<T>>),
    Cuda(Box<OnCard>),
}

/// The card's front end, its queue, and its results.
pub struct OnCard {
    front_end: front_end::cuda::FrontEnd,
    stream: Stream,
    bins: Vec<Complex<f32>>,
}

impl<T: Number> Bins<T> {
    /// On the CPU; on `device`, if `T` has no more digits than the card's front end.
    pub fn new(device: Option<&Device>, settings: &Settings) -> Result<Self, FrontEndError> {
        let Some(device) = device.filter(|_| size_of::<T>() <= size_of::<f32>()) else {
            return Ok(Self::Cpu(Box::new(FrontEnd::new(settings)?)));
        };
        let mut stream = device.stream()?;
        let front_end = front_end::cuda::FrontEnd::new(&mut stream, settings, None, 1)?;
        let bins = vec![Complex::default(); settings.bins.len() * settings.layout.channels() as usize];
        Ok(Self::Cuda(Box::new(OnCard { front_end, stream, bins })))
    }

    pub fn settings(&self) -> &Settings {
        match self {
            Self::Cpu(front_end) => front_end.settings(),
            Self::Cuda(card) => card.front_end.settings(),
        }
    }

    /// History and window as sent to bins, `[n][channel]`.
    pub fn measure(&mut self, rows: &[u8], out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        let card = match self {
            Self::Cpu(front_end) => return front_end.holograms(rows, out),
            Self::Cuda(card) => card,
        };
        let OnCard { front_end, stream, bins } = &mut **card;
        front_end.holograms(stream, rows, bins)?;
        for (out, bin) in out.iter_mut().zip(bins) {
            *out = Complex::new(T::of(bin.re.into()), T::of(bin.im.into()));
        }
        Ok(())
    }
}
