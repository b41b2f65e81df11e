//! Type 3 on the device that was chosen when the plan was made. The formulas are in [`cpu::type_3`].

use super::{Precision, Result, Settings, cpu, cuda};
use kernels::Device;
use num_complex::Complex;

/// A plan from points to targets, from host memory to host memory.
pub enum Plan<T: Precision> {
    /// All cores of the current rayon pool; with the memory of a run, once there are points.
    Cpu(Box<cpu::type_3::Plan<T>>, Box<cpu::type_3::Scratch<T>>),
    /// A card.
    Cuda(Box<cuda::type_3::Plan<T>>),
}

impl<T: Precision> Plan<T> {
    /// A plan for the CPU and `axes` axes; it has neither points nor targets yet.
    pub fn on_cpu(axes: usize, settings: &Settings) -> Result<Self> {
        let plan = cpu::type_3::Plan::new(axes, settings)?;
        let scratch = plan.scratch();
        Ok(Self::Cpu(Box::new(plan), Box::new(scratch)))
    }

    /// The same for a card.
    pub fn on_cuda(device: &Device, axes: usize, settings: &Settings) -> Result<Self> {
        Ok(Self::Cuda(Box::new(cuda::type_3::Plan::new(device, axes, settings)?)))
    }

    /// Fine points of every axis, x first.
    pub fn fine_grid(&self) -> Vec<usize> {
        match self {
            Self::Cpu(plan, _) => plan.fine_grid(),
            Self::Cuda(plan) => plan.fine_grid().to_vec(),
        }
    }

    /// Takes points and targets, an array for each axis, x first; products of the two are radians.
    pub fn set_points(&mut self, points: &[&[f64]], targets: &[&[f64]]) -> Result<()> {
        match self {
            Self::Cpu(plan, scratch) => {
                plan.set_points(points, targets)?;
                **scratch = plan.scratch();
                Ok(())
            }
            Self::Cuda(plan) => plan.set_points(points, targets),
        }
    }

    /// `f_k = sum_j c_j exp(i s s_k . x_j)`, from strengths to values at the targets.
    pub fn execute(&mut self, strengths: &[Complex<T>], values: &mut [Complex<T>]) -> Result<()> {
        match self {
            Self::Cpu(plan, scratch) => plan.execute(strengths, values, scratch),
            Self::Cuda(plan) => plan.execute_on_host(strengths, values),
        }
    }
}
