//! A compiled program against what Rust believes of it.

use crate::ptx::{self, Entry};
use crate::usage::{Usage, usages};
use kernels::compile::Compiled;
use kernels::program::{Parameter, Program, Signature};

/// What each kernel takes, and everything that is wrong.
pub fn check(program: &Program, capability: u32, compiled: &Compiled) -> (Vec<Usage>, Vec<String>) {
    let usages = usages(&compiled.log);
    let entries = match ptx::entries(&compiled.ptx) {
        Ok(entries) => entries,
        Err(problem) => return (usages, vec![format!("PTX not understood: {problem}")]),
    };
    let mut complaints = Vec::new();
    let unnamed =
        entries.iter().filter(|entry| program.kernels.iter().all(|kernel| kernel.name != entry.name));
    complaints.extend(unnamed.map(|entry| format!("kernel {}: no signature in Rust", entry.name)));
    for signature in program.kernels {
        let entry = entries.iter().find(|entry| entry.name == signature.name);
        let usage = usages.iter().find(|usage| usage.kernel == signature.name);
        let problems = match (entry, usage) {
            (None, _) if signature.capability > capability => vec![],
            (None, _) => vec!["not in the compiled module".into()],
            (_, None) => vec!["not in the assembler's report".into()],
            (Some(entry), Some(usage)) => problems(program, signature, entry, usage),
        };
        complaints
            .extend(problems.into_iter().map(|problem| format!("kernel {}: {problem}", signature.name)));
    }
    (usages, complaints)
}

fn problems(program: &Program, signature: &Signature, entry: &Entry, usage: &Usage) -> Vec<String> {
    let mut problems = Vec::new();
    if signature.module != program.name {
        problems.push(format!("its signature says module {}", signature.module));
    }
    let (believed, compiled) = (signature.parameters.len(), entry.slots.len());
    if believed != compiled {
        problems.push(format!("{believed} parameters in Rust, {compiled} compiled"));
    }
    for (parameter, slot) in signature.parameters.iter().zip(&entry.slots) {
        let is_pointer = !matches!(parameter, Parameter::Value(..));
        if parameter.size() != slot.size || slot.pointer && !is_pointer {
            let believed = describe(parameter.size(), is_pointer);
            let compiled = describe(slot.size, slot.pointer);
            problems.push(format!("argument {}: {believed} in Rust, {compiled} compiled", parameter.name()));
        }
    }
    if signature.hot && (usage.spill_stores, usage.spill_loads) != (0, 0) {
        problems.push(format!("hot, and spills {} bytes", usage.spill_stores.max(usage.spill_loads)));
    }
    problems
}

fn describe(size: usize, pointer: bool) -> String {
    if pointer { "a pointer".into() } else { format!("{size} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From NVRTC 13.0 for sm_100: one pointer, a structure of 16 bytes, a number of 32 bits.
    fn compiled(spills: &str) -> Compiled {
        let ptx = ".visible .entry scale(
	.param .u64 .ptr .align 1 scale_param_0,
	.param .align 8 .b8 scale_param_1[16],
	.param .u32 scale_param_2
)
.maxntid 128
{
	ret;
}
";
        let log = format!(
            "ptxas info    : Compiling entry function 'scale' for 'sm_100'
ptxas info    : Function properties for scale
ptxas         .     0 bytes stack frame, {spills}
ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem
"
        );
        Compiled { cubin: vec![], ptx: ptx.into(), log }
    }

    const RIGHT: &[Parameter] =
        &[Parameter::Output("x"), Parameter::Value("plan", 16), Parameter::Value("n", size_of::<u32>())];

    const fn scale(parameters: &'static [Parameter]) -> Signature {
        Signature { module: "toy", name: "scale", hot: true, capability: 80, parameters }
    }

    fn complaints(signatures: Vec<Signature>, spills: &str) -> Vec<String> {
        let kernels: Vec<&'static Signature> =
            signatures.into_iter().map(|s| &*Box::leak(Box::new(s))).collect();
        let program = Program { name: "toy", source: "", kernels: kernels.leak(), samples: &[] };
        check(&program, 100, &compiled(spills)).1
    }

    const CLEAN: &str = "0 bytes spill stores, 0 bytes spill loads";

    #[test]
    fn what_fits_passes() {
        assert_eq!(complaints(vec![scale(RIGHT)], CLEAN), Vec::<String>::new());
        let later = Signature { name: "later", capability: 120, ..scale(&[]) };
        assert_eq!(complaints(vec![scale(RIGHT), later], CLEAN), Vec::<String>::new());
    }

    #[test]
    fn wrong_parameters_are_named() {
        use Parameter::{Input, Value};
        let cases: [(&'static [Parameter], &str); 5] = [
            (&RIGHT[..2], "kernel scale: 2 parameters in Rust, 3 compiled"),
            (
                &[Input("x"), Value("plan", 16), Value("n", 4), Value("m", 4)],
                "4 parameters in Rust, 3 compiled",
            ),
            (
                &[Input("x"), Value("n", 4), Value("plan", 16)],
                "argument n: 4 bytes in Rust, 16 bytes compiled",
            ),
            (&[Value("x", 8), Value("plan", 16), Value("n", 4)], "x: 8 bytes in Rust, a pointer compiled"),
            (&[Input("x"), Value("plan", 16), Input("n")], "argument n: a pointer in Rust, 4 bytes compiled"),
        ];
        for (parameters, expected) in cases {
            let found = complaints(vec![scale(parameters)], CLEAN);
            assert!(found.iter().any(|complaint| complaint.contains(expected)), "{expected}: {found:?}");
        }
    }

    #[test]
    fn kernels_on_one_side_only_are_named() {
        assert_eq!(complaints(vec![], CLEAN), ["kernel scale: no signature in Rust"]);
        let missing = Signature { name: "missing", ..scale(&[]) };
        assert_eq!(
            complaints(vec![scale(RIGHT), missing], CLEAN),
            ["kernel missing: not in the compiled module"]
        );
        let astray = Signature { module: "other", ..scale(RIGHT) };
        assert_eq!(complaints(vec![astray], CLEAN), ["kernel scale: its signature says module other"]);
    }

    #[test]
    fn only_a_hot_kernel_must_not_spill() {
        for spills in
            ["8 bytes spill stores, 4 bytes spill loads", "0 bytes spill stores, 8 bytes spill loads"]
        {
            assert_eq!(complaints(vec![scale(RIGHT)], spills), ["kernel scale: hot, and spills 8 bytes"]);
            let cold = Signature { hot: false, ..scale(RIGHT) };
            assert_eq!(complaints(vec![cold], spills), Vec::<String>::new());
        }
    }
}
