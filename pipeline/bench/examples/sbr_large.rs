//! A mesh of 5 million triangles from file to cross-section: seconds and memory of every step, one JSON object a line.
//!
//! `cargo xtask measure-sbr-large` runs it and makes a page of what it says.

use mesh::{self, Mesh, shapes};
use sbr::cpu::Plan;
use sbr::{Direction, Settings, Target, dbsm};
use serde_json::json;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// 20 x 4^9 triangles.
const LEVELS: u32 = 9;
const FREQUENCY: f64 = 10e9;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", path] => make(Path::new(path)),
        [] => measure(),
        _ => Err("no arguments, or: make FILE.stl".into()),
    }
}

/// A sphere of 1 m radius as a binary STL.
fn make(path: &Path) -> Outcome<()> {
    let sphere = shapes::sphere(1.0, LEVELS);
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&[b' '; 80])?;
    file.write_all(&u32::try_from(sphere.triangles.len())?.to_le_bytes())?;
    for index in 0..sphere.triangles.len() {
        file.write_all(&[0; 12])?;
        for x in sphere.corners(index).into_iter().flat_map(|corner| corner.to_array()) {
            file.write_all(&(x as f32).to_le_bytes())?;
        }
        file.write_all(&[0; 2])?;
    }
    Ok(file.flush()?)
}

fn measure() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("sphere.stl");
    // In a process of its own, so that its memory is not counted.
    if !Command::new(std::env::current_exe()?).arg("make").arg(&path).status()?.success() {
        return Err("the mesh could not be made".into());
    }
    let bytes = path.metadata()?.len();
    let mesh = step("read", || Ok(mesh::read(&path)?))?;
    println!(
        "{}",
        json!({"triangles": mesh.triangles.len(), "file_bytes": bytes, "mesh_bytes": mesh_bytes(&mesh)})
    );
    let report = step("check", || Ok(mesh::check(&mesh)))?;
    if !report.is_clean() {
        return Err(format!("the sphere was read with faults: {report}").into());
    }
    let settings = Settings::new(vec![FREQUENCY]);
    let plan = step("plan", || Ok(Plan::new(Target::conductor(&mesh, &settings)?)))?;
    println!("{}", json!({"tree_bytes": plan.target().bvh().bytes()}));
    for (theta, phi) in [(90.0, 0.0), (37.0, 11.0), (120.0, 200.0)] {
        let response = step("trace", || Ok(plan.monostatic(Direction::degrees(theta, phi))?))?;
        println!(
            "{}",
            json!({"theta_deg": theta, "phi_deg": phi, "segments": response.counts.segments,
                "vv_dbsm": dbsm(response.fields[0][0][0]), "hh_dbsm": dbsm(response.fields[0][1][1])})
        );
    }
    Ok(())
}

/// Bytes that the mesh itself takes.
fn mesh_bytes(mesh: &Mesh) -> usize {
    size_of_val(mesh.vertices.as_slice())
        + size_of_val(mesh.triangles.as_slice())
        + size_of_val(mesh.groups.as_slice())
}

/// Runs a step and prints its seconds, and the memory of the process after it and at most until then.
fn step<T>(name: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let begin = Instant::now();
    let result = work()?;
    let seconds = begin.elapsed().as_secs_f64();
    let (now, most) = (memory("VmRSS:")?, memory("VmHWM:")?);
    println!("{}", json!({"step": name, "seconds": seconds, "kib": now, "most_kib": most}));
    Ok(result)
}

/// A figure of `/proc/self/status`, KiB.
fn memory(name: &str) -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such figure of memory")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}
