//! What is run: the case with the command line's word over it, and where it goes on.

use super::super::args::Reflectarray;
use super::super::{Context, Result};
use super::resume;
use crate::cli::exit::refuse;
use pipeline::reflectarray::case::{self, Case, MOST_STARTS};
use pipeline::reflectarray::{Elements, Plan};
use std::path::PathBuf;

pub struct Run {
    pub case: Case,
    pub plan: Plan,
    pub folder: PathBuf,
    /// The design to go on from.
    pub from: Option<Elements>,
    /// The stage to begin with.
    pub first_stage: usize,
}

impl Run {
    /// Reads and checks everything that can be, before anything is written.
    pub fn resolve(context: &Context, arguments: &Reflectarray) -> Result<Self> {
        let (mut tables, folder) = case::load(&arguments.case)?;
        if let Some(method) = arguments.method {
            tables.synthesis.method = method;
        }
        let mut case = tables.resolve(&folder)?;
        if let Some(mean) = arguments.mean {
            if !(0.0..=1.0).contains(&mean) {
                refuse!("--mean {mean}: it must be 0 to 1");
            }
            case.mean = mean;
        }
        if let Some(starts) = arguments.starts {
            if !(1..=MOST_STARTS).contains(&starts) {
                refuse!("--starts {starts}: it must be 1 to {MOST_STARTS}");
            }
            case.starts = starts;
        }
        let task = case.task()?;
        let plan = match context.device() {
            None => Plan::on_cpu(task)?,
            Some(device) => Plan::on_cuda(device, task)?,
        };
        let (from, first_stage) =
            match arguments.resume.then(|| resume::find(&arguments.out, &case)).transpose()? {
                Some((elements, stage)) => (Some(elements), stage),
                None => (None, 0),
            };
        Ok(Self { case, plan, folder: arguments.out.clone(), from, first_stage })
    }

    /// Number of the stage with a name, from where this run began.
    pub fn stage_of(&self, name: &str) -> usize {
        let stages = self.case.stages.iter().enumerate().skip(self.first_stage);
        stages.filter(|(_, stage)| stage.name == name).map(|(at, _)| at).next().unwrap_or(self.first_stage)
    }
}
