//! Device memory of plans: what they say they have, what the driver says, and what is refused before it is allocated.

use super::{Spread, coordinates, slices};
use crate::devices;
use kernels::Device;
use pipeline::nufft::cuda::{Memory, Plan, type_3};
use pipeline::nufft::{Error, Settings, Sign};

/// Other tests take and give device memory meanwhile: what the driver counts is looked at so often.
const LOOKS: usize = 20;

/// Compares what a plan says it has with what the driver gives for it.
fn check(device: &Device, what: &str, made: impl Fn() -> Box<dyn Planned>) {
    let name = &device.properties().name;
    for look in 1..=LOOKS {
        let free = device.free_memory().unwrap();
        let plan = made();
        let taken = free.saturating_sub(device.free_memory().unwrap());
        let memory = plan.memory();
        let Memory { fine_grid, grids, work, points } = memory;
        assert!(grids + work <= 3 * fine_grid, "{what}: {memory:?}");
        let others = fine_grid / 4;
        let is_right = taken + others >= grids + work + points && taken <= 3 * fine_grid + points + others;
        eprintln!("{name}: {what}: {memory:?}, {taken} bytes by the driver's count");
        if is_right {
            return;
        }
        assert!(look < LOOKS, "{what}: {taken} of {memory:?}");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
}

/// A plan with its points.
trait Planned {
    fn memory(&self) -> Memory;
}

impl Planned for Plan<f32> {
    fn memory(&self) -> Memory {
        Plan::memory(self)
    }
}

impl Planned for type_3::Plan<f32> {
    fn memory(&self) -> Memory {
        type_3::Plan::memory(self)
    }
}

#[test]
fn plans_have_at_most_three_fine_grids() {
    for device in devices("nufft::memory::plans_have_at_most_three_fine_grids") {
        let settings = Settings::new(1e-6, Sign::Negative);
        for modes in [vec![20_000_000], vec![4_000, 4_000], vec![200, 200, 200]] {
            let points = coordinates(modes.len(), 1000, Spread::Everywhere);
            check(&device, &format!("{modes:?}"), || {
                let mut plan = Plan::<f32>::new(&device, &modes, &settings).unwrap();
                plan.set_points(&slices(&points)).unwrap();
                Box::new(plan)
            });
        }
        // Extents whose grids are about as large.
        for extents in [vec![2e7], vec![3e3, 3e3], vec![150.0; 3]] {
            let points: Vec<Vec<f64>> = extents.iter().map(|_| vec![-1.0, 0.0, 1.0]).collect();
            let targets: Vec<Vec<f64>> = extents.iter().map(|s| vec![-s, *s]).collect();
            check(&device, &format!("type 3 over {extents:?}"), || {
                let mut plan = type_3::Plan::<f32>::new(&device, extents.len(), &settings).unwrap();
                plan.set_points(&slices(&points), &slices(&targets)).unwrap();
                Box::new(plan)
            });
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_allocated() {
    for device in devices("nufft::memory::what_does_not_fit_is_refused_before_it_is_allocated") {
        let free = device.free_memory().unwrap();
        let endless = Settings { memory: u128::MAX, ..Settings::new(1e-6, Sign::Negative) };
        let refused = |modes: &[usize], settings: &Settings| {
            Plan::<f64>::new(&device, modes, settings).err().expect("it does not fit")
        };
        // More than the settings allow: 16 bytes each.
        let error = refused(&[50_000, 50_000], &Settings::new(1e-6, Sign::Negative));
        assert!(matches!(error, Error::Memory { needed: 160_000_000_000.., .. }), "{error}");
        // Work area and all.
        let settings = Settings::new(1e-6, Sign::Negative);
        let Memory { grids, work, .. } = Plan::<f64>::new(&device, &[600, 600], &settings).unwrap().memory();
        let enough = (grids + work) as u128;
        Plan::<f64>::new(&device, &[600, 600], &Settings { memory: enough, ..settings.clone() }).unwrap();
        let error = refused(&[600, 600], &Settings { memory: enough - 1, ..settings });
        assert!(matches!(error, Error::Memory { needed, .. } if needed == enough), "{error}");
        // More than can be numbered, and more than there is of anything.
        let error = refused(&[33_000, 33_000], &endless);
        assert!(matches!(&error, Error::Grid(grid) if grid.len() == 2), "{error}");
        refused(&[usize::MAX, 3], &endless);
        let error = device.check_room("a test", usize::MAX).unwrap_err();
        assert!(error.to_string().contains(&usize::MAX.to_string()), "{error}");
        let taken = free.saturating_sub(device.free_memory().unwrap());
        assert!(taken < 2_000_000_000, "{taken} bytes are gone");
    }
}
