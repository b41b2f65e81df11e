//! Options of `nearfield dgtd`.

use clap::Args;
use std::num::NonZero;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
CASE is a file, or one of the built-in cases:
  almond       radar cross-sections of the EMCC almond of 2.5 m at 1 GHz, a wave onto its tip (long on a processor, seconds on a card; docs/measured/almond.md has how near it is)
  cavity       a cube between perfect conductors that rings in one of its modes
  dielectric-sphere  radar cross-sections of a sphere of permittivity 4 and 300 mm at 900 MHz, beside a resonance of quality 300 (minutes)
  helix        S-parameters, directivity and polarisation of a helix of three square turns on a ground plane at 7 to 12 GHz (minutes)
  monopole     S-parameters and directivity of a strip on a ground plane
  plane-wave   a pulse through a box that it enters and leaves at any angle
  sphere       radar cross-sections of a conducting sphere whose circumference is a wavelength
Begin a case of your own with one of these: nearfield dgtd cavity --print > mine.toml

Fields of a case; all but duration_s and [mesh] may be left out:
  title, order (1 to 8), upwinding (1 upwind, 0 central), duration_s, until_energy (ends earlier, at this part of the largest energy), courant (part of the stable time step)
  samples (rows of the files over time), snapshot_rows (rows between two snapshots)
  [mesh]         file (gmsh 2.2 or 4.1, text or binary) and scale, or low_m, high_m and cells of a box with the sides x_min, x_max, y_min to z_max
  [[mesh.block]], [[mesh.sheet]]  name, low_m and high_m of groups of tetrahedra and faces in such a box
  [mesh.sphere]  radius_m, half_side_m and cells of the cube round it, shells, inside (shells of a sphere that is filled), outside (cells), quarter
  [mesh.almond]  length_m, low_m, high_m and cells of the box round it, shells, outside (cells), quarter
  [mesh.helix]   side_m, pitch_m, turns and cells (along a side) of a tape a quarter of the pitch wide, step_m, margin and outside (cells beside and above it)
  [[material]]   groups, permittivity, permeability, conductivity_s_per_m; poles of a dispersive medium, beside the permittivity of high frequencies, as lists of tables:
                 debye = [{ delta_eps, tau_s }], drude = [{ plasma_rad_per_s, collision_per_s }], lorentz = [{ delta_eps, resonance_rad_per_s, damping_per_s }]
                 no such medium may be in [upml], at abc or incident boundaries, or at or outside the surface of total_field; fast poles shorten the time step
  [boundary]     outer, and groups by name: pec, pmc, abc (absorbing, first order) or incident (abc, and the wave comes in)
  [upml]         low_m and high_m of the box inside matched layers, which reach to the sides of the mesh; degree, reflection, shift_per_m
  [wave]         direction, polarisation, frequency_hz, width_s (of a pulse), delay_s, total_field (groups of tetrahedra)
  [[dipole]]     position_m, moment_a_m (current times length), frequency_hz, width_s, delay_s
  [port]         group (faces between two conductors), direction (from minus to plus), length_m, width_m, resistance_ohm; frequency_hz, width_s and delay_s of its pulse of 1 V; sweep_hz (first, last, step)
  [initial]      mode (half waves of a box at the origin) and amplitude_v_per_m
  [far_field]    frequencies_hz, inside (groups, where there is no wave), theta_deg and phi_deg (first, last, step), images (planes of symmetry through the origin: x = \"pec\")
  [[probe]]      point_m

Writes to the folder of --out:
  probes.csv     time_s,probe,ex_v_per_m,ey_v_per_m,ez_v_per_m,hx_a_per_m,hy_a_per_m,hz_a_per_m
  energy.csv     time_s,energy_j (of fields and of the poles of dispersive media)
  rcs.csv        frequency_hz,theta_deg,phi_deg,sigma_dbsm (with [far_field] and [wave])
  directivity.csv  frequency_hz,theta_deg,phi_deg,directivity_dbi,right_dbi,left_dbi (of all, and of its right-handed and left-handed parts; with [far_field], without [wave]); images radiate too
  touchstone.s1p S11 (with [port])
  s11.png, directivity.png  both as curves; directivity at the middle one of the frequencies, in the first two planes of phi
  fields-ROW.vtu, currents-ROW.vtu  E and H, and currents on conductors, for ParaView (with snapshot_rows)
  checkpoint.bin with --checkpoint
  summary.json   settings, mesh, time step, energy, speed, permittivities of dispersive media at the frequencies of [far_field] and [port], and the error where the case has a formula;
                 with [port] and [far_field] powers of a generator of 1 V at frequencies that both have: available_w, accepted_w, surface_w (through the surface of the far field), radiated_w (far away);
                 beams: the direction of the largest directivity, its axial ratio and sense
Under mpirun, of a program with the feature mpi, each process computes a part of the elements (METIS), and the first one writes; --threads is that of each process.
Results are the same bits with any number of processes, and a checkpoint goes on with any number. If one is killed, all end and name the last checkpoint.
After Ctrl-C mpirun gives them a second or two: rows must be shorter for what is partial.
On a card (--device cuda, in one process) there is everything, but no [port] between total and scattered fields; a checkpoint of one device goes on on the other.
After Ctrl-C: probes.partial.csv and energy.partial.csv.

Examples:
  nearfield dgtd cavity
  nearfield dgtd mine.toml --precision f64 --out mine
  nearfield dgtd mine.toml --out mine --checkpoint 100 --restart mine/checkpoint.bin
  mpirun -n 4 nearfield dgtd mine.toml --out mine --checkpoint 100 --threads 8";

/// Options of `dgtd`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Dgtd {
    /// Case file, or the name of a built-in case
    #[arg(value_name = "CASE")]
    pub case: PathBuf,
    /// Folder for the results
    #[arg(long, default_value = "nearfield-dgtd", value_name = "DIR")]
    pub out: PathBuf,
    /// Write checkpoint.bin after every so many rows of the files over time, and after Ctrl-C
    #[arg(long, value_name = "ROWS")]
    pub checkpoint: Option<NonZero<u64>>,
    /// Go on from a checkpoint of the same case and precision
    #[arg(long, value_name = "FILE")]
    pub restart: Option<PathBuf>,
    /// Print the file of a built-in case and stop
    #[arg(long)]
    pub print: bool,
}
