//! The report that people read: one line for each kernel on each architecture, under its module and constants.

use crate::usage::Usage;
use kernels::program::{Define, Program};

/// One line.
pub struct Row {
    pub program: &'static Program,
    pub defines: &'static [Define],
    /// Such as sm_90.
    pub arch: String,
    pub usage: Usage,
}

impl Row {
    /// Module and constants.
    fn group(&self) -> String {
        format!("{}: {}", self.program.name, defines(self.defines)).trim_end_matches(": ").to_owned()
    }

    fn cells(&self) -> [String; COLUMNS] {
        let Usage { kernel, registers, shared, stack, spill_stores, spill_loads } = &self.usage;
        let hot = self.program.kernels.iter().any(|signature| signature.name == kernel && signature.hot);
        let [registers, shared, stack, stored, loaded] =
            [registers, shared, stack, spill_stores, spill_loads].map(usize::to_string);
        let hot = if hot { "hot" } else { "" }.to_owned();
        [kernel.clone(), self.arch.clone(), registers, shared, stack, stored, loaded, hot]
    }
}

const COLUMNS: usize = 8;
const HEADING: [&str; COLUMNS] =
    ["kernel", "arch", "registers", "shared B", "stack B", "spill stores B", "spill loads B", ""];

/// `A=1 B=2`.
pub fn defines(defines: &[Define]) -> String {
    let words: Vec<String> = defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.join(" ")
}

/// All lines, those of a kernel together. `rows` come module by module.
pub fn table(rows: &[&Row]) -> String {
    let name_width = rows.iter().map(|row| row.usage.kernel.len()).max().unwrap_or(0).max(HEADING[0].len());
    let mut text = line(name_width, &HEADING.map(str::to_owned));
    for group in rows.chunk_by(|a, b| a.group() == b.group()) {
        text += &format!("{}\n", group[0].group());
        let mut group = group.to_vec();
        group
            .sort_by_key(|row| row.program.kernels.iter().position(|kernel| kernel.name == row.usage.kernel));
        text.extend(group.iter().map(|row| line(name_width, &row.cells())));
    }
    text
}

/// Names to the left, numbers to the right under their headings.
fn line(name_width: usize, cells: &[String; COLUMNS]) -> String {
    let mut text = format!("  {:name_width$}  {:6}", cells[0], cells[1]);
    for (cell, heading) in cells.iter().zip(HEADING).skip(2) {
        text += &format!("  {cell:>width$}", width = heading.len());
    }
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::program::Signature;

    #[test]
    fn a_kernel_s_lines_stand_together_under_its_module() {
        const fn signature(name: &'static str, hot: bool) -> Signature {
            Signature { module: "toy", name, hot, capability: 80, parameters: &[] }
        }
        static KERNELS: [&Signature; 2] = [&signature("second_to_none", true), &signature("a", false)];
        static PROGRAM: Program = Program { name: "toy", source: "", kernels: &KERNELS, samples: &[] };
        let row = |kernel: &str, arch: &str, defines| {
            let usage = Usage { kernel: kernel.into(), registers: 255, spill_loads: 12, ..Usage::default() };
            Row { program: &PROGRAM, defines, arch: arch.into(), usage }
        };
        let with: &[Define] = &[("A", 1), ("B", -2)];
        let rows = [
            row("a", "sm_90", with),
            row("second_to_none", "sm_90", with),
            row("a", "sm_120", with),
            row("second_to_none", "sm_120", with),
            row("a", "sm_90", &[]),
        ];
        let expected = "  kernel          arch    registers  shared B  stack B  spill stores B  spill loads B
toy: A=1 B=-2
  second_to_none  sm_90         255         0        0               0             12  hot
  second_to_none  sm_120        255         0        0               0             12  hot
  a               sm_90         255         0        0               0             12
  a               sm_120        255         0        0               0             12
toy
  a               sm_90         255         0        0               0             12
";
        assert_eq!(table(&rows.iter().collect::<Vec<_>>()), expected);
    }
}
