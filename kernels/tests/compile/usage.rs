//! What a kernel takes of a multiprocessor, read from the assembler's report.

/// Of one kernel.
#[derive(Debug, Default, PartialEq)]
pub struct Usage {
    pub kernel: String,
    /// 32-bit registers of a thread.
    pub registers: usize,
    /// Bytes of shared memory of a block, without what is asked for at launch.
    pub shared: usize,
    /// Bytes of stack of a thread: arrays that are not in registers, and spills.
    pub stack: usize,
    /// Bytes that a thread writes for lack of registers, with those of the functions that it calls.
    pub spill_stores: usize,
    /// Bytes that it reads back.
    pub spill_loads: usize,
}

/// All kernels in the order of the report.
pub fn usages(log: &str) -> Vec<Usage> {
    let mut usages = Vec::<Usage>::new();
    for line in log.lines() {
        if let Some((_, name)) = line.split_once("Compiling entry function '") {
            let kernel = name.split('\'').next().unwrap_or_default().to_owned();
            usages.push(Usage { kernel, ..Usage::default() });
        }
        let Some(usage) = usages.last_mut() else { continue };
        let number = |unit| number_before(line, unit).unwrap_or(0);
        // Functions that were not inlined have lines of their own below their kernel's.
        usage.stack += number(" bytes stack frame");
        usage.spill_stores += number(" bytes spill stores");
        usage.spill_loads += number(" bytes spill loads");
        usage.registers += number(" registers");
        usage.shared += number(" bytes smem");
    }
    usages
}

/// What the compiler and the assembler warn of, one line each.
pub fn warnings(log: &str) -> impl Iterator<Item = &str> {
    log.lines().filter(|line| line.contains("warning")).map(str::trim)
}

fn number_before(line: &str, unit: &str) -> Option<usize> {
    let (before, _) = line.split_once(unit)?;
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From NVRTC 13.0 for sm_120, sm_90 and sm_80.
    const LOG: &str = "\
ptxas warning : Value of threads per SM for entry spills is out of range. .minnctapersm will be ignored
ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function 'scale' for 'sm_90'
ptxas info    : Function properties for scale
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem
ptxas info    : Compile time = 3.078 ms
ptxas info    : Compiling entry function 'spills' for 'sm_90'
ptxas info    : Function properties for spills
ptxas         .     4608 bytes stack frame, 5356 bytes spill stores, 8984 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 4608 bytes cumulative stack size
ptxas info    : Compile time = 583.199 ms
ptxas info    : Compiling entry function 'calls' for 'sm_80'
ptxas info    : Function properties for calls
ptxas         .     2160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 2160 bytes cumulative stack size, 372 bytes cmem[0]
ptxas info    : Compile time = 601.720 ms
ptxas info    : Function properties for _Z6helperPKfi
ptxas         .     0 bytes stack frame, 928 bytes spill stores, 1068 bytes spill loads
";

    #[test]
    fn numbers_are_read_with_those_of_called_functions() {
        let usage = |kernel: &str, [registers, shared, stack, spill_stores, spill_loads]: [usize; 5]| Usage {
            kernel: kernel.into(),
            registers,
            shared,
            stack,
            spill_stores,
            spill_loads,
        };
        let expected = [
            usage("scale", [12, 512, 0, 0, 0]),
            usage("spills", [32, 0, 4608, 5356, 8984]),
            usage("calls", [255, 0, 2160, 928, 1068]),
        ];
        assert_eq!(usages(LOG), expected);
        assert_eq!(usages(""), []);
    }

    #[test]
    fn warnings_are_found() {
        let found: Vec<_> = warnings(LOG).collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("ptxas warning : Value of threads"), "{found:?}");
    }
}
