//! The stages as kernels in a row: where every array lies, and in which order they are used.

use super::super::super::design::Field;
use super::super::super::lpbp::Extent;
use super::super::super::{Error, Padding, Settings};
use kernels::plain::Float;
use kernels::stages::{self, ALL_FINITE, Dft, Direction, Extend, Lines, OnGrid, Shape, Strides, Transform};
use kernels::{Buffer, Stream};
use num_complex::Complex;
use numerics::real::Real;

/// Tables in device memory.
#[derive(Debug)]
pub struct Tables<T> {
    /// `[field][hologram][ky = 0..=n_y/2][kx]`.
    pub operators: Buffer<Complex<T>>,
    pub windows: Buffer<T>,
    pub twiddles: Buffer<Complex<T>>,
}

/// Kernels and working memory of all stages.
#[derive(Debug)]
pub struct Stages<T: Real + Float> {
    on_grid: OnGrid<T>,
    prediction: Option<Prediction<T>>,
    along_y: Dft<T>,
    along_x: Dft<T>,
    back_along_x: Dft<T>,
    /// One for each field.
    back_along_y: Vec<Dft<T>>,
    /// Power of two that each hologram is scaled by.
    scales: Buffer<T>,
    /// Index of the first value of each hologram that is not finite.
    not_finite: Buffer<u32>,
    /// `[hologram][y][x of the aperture]`, scaled.
    scaled: Buffer<Complex<T>>,
    /// Padded and windowed, `[hologram][x][y]`.
    pub field: Buffer<Complex<T>>,
    /// `[hologram][x][ky]`.
    columns: Buffer<Complex<T>>,
    /// `[hologram][ky][kx]`.
    pub spectrum: Buffer<Complex<T>>,
    /// Operator x spectrum, `[hologram][ky][kx]`.
    product: Buffer<Complex<T>>,
    /// `[hologram][ky][x of the output]`.
    half: Buffer<Complex<T>>,
}

/// What linear prediction needs.
#[derive(Debug)]
struct Prediction<T> {
    rows_first: Passes<T>,
    /// In the other order, to a field of its own, `[hologram][x][y]`; planar only.
    columns_first: Option<(Passes<T>, Buffer<Complex<T>>)>,
    scratch: Buffer<Complex<T>>,
}

/// Lines along one axis extended, then lines along the other.
#[derive(Debug)]
struct Passes<T> {
    first: Extend<T>,
    second: Extend<T>,
    /// Extended once, `[hologram][line of the first axis, of the aperture][sample of the grid]`.
    between: Buffer<Complex<T>>,
}

/// Dense lines of a hologram of `values` values: sample n of line i at `i line + n sample`.
fn strides(values: usize, line: usize, sample: usize) -> Strides {
    Strides { first: 0, hologram: values, line, sample }
}

impl<T: Real + Float> Stages<T> {
    /// For `count` holograms.
    pub fn new(stream: &mut Stream, settings: &Settings, count: usize) -> Result<Self, Error> {
        let kernels = stages::Stages::new(stream.device())?;
        let grid = &settings.grid;
        let shape = Shape {
            count,
            rows: grid.aperture.rows,
            cols: grid.aperture.cols,
            grid_rows: grid.rows,
            grid_cols: grid.cols,
        };
        let [along_y, along_x] = forward(settings, count).map(|t| Dft::new(&kernels, t));
        let (back_along_x, back_along_y) = inverse(settings, count);
        let back_along_y = back_along_y.into_iter().map(|t| Dft::new(&kernels, t));
        let order = settings.padding.order();
        let prediction =
            order.map(|order| Prediction::new(stream, &kernels, settings, count, order)).transpose()?;
        Ok(Self {
            on_grid: OnGrid::new(&kernels, shape)?,
            prediction,
            along_y: along_y?,
            along_x: along_x?,
            back_along_x: Dft::new(&kernels, back_along_x)?,
            back_along_y: back_along_y.collect::<Result<_, _>>()?,
            scales: Buffer::zeros(stream, "scales", count)?,
            not_finite: Buffer::zeros(stream, "places that are not finite", count)?,
            scaled: Buffer::zeros(stream, "scaled holograms", count * grid.aperture.len())?,
            field: Buffer::zeros(stream, "field", count * grid.len())?,
            columns: Buffer::zeros(stream, "transformed columns", count * grid.len())?,
            spectrum: Buffer::zeros(stream, "spectrum", count * grid.len())?,
            product: Buffer::zeros(stream, "operator x spectrum", count * grid.len())?,
            half: Buffer::zeros(
                stream,
                "transformed rows",
                count * grid.rows * grid.aperture.cols * settings.refinement,
            )?,
        })
    }

    /// Hologram and index of the first value of the last holograms that is not finite.
    pub fn first_not_finite(&self, stream: &mut Stream) -> Result<Option<(usize, usize)>, Error> {
        let indices = stream.values(&self.not_finite)?;
        let found = indices.iter().position(|&index| index != ALL_FINITE);
        Ok(found.map(|hologram| (hologram, indices[hologram] as usize)))
    }

    /// Stage 1.
    pub fn pad(
        &mut self,
        stream: &mut Stream,
        tables: &Tables<T>,
        holograms: &Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let Self { on_grid, scales, not_finite, scaled, field, .. } = self;
        on_grid.scale(stream, holograms, scales, not_finite, scaled)?;
        let Some(Prediction { rows_first, columns_first, scratch }) = &mut self.prediction else {
            return Ok(on_grid.zero(stream, holograms, field)?);
        };
        rows_first.run(stream, scaled, scratch, field)?;
        if let Some((passes, other)) = columns_first {
            passes.run(stream, scaled, scratch, other)?;
            // Both are the same outside the corners.
            on_grid.average(stream, other, field)?;
        }
        Ok(on_grid.window(stream, scales, &tables.windows, field)?)
    }

    /// Stage 2.
    pub fn transform(&mut self, stream: &mut Stream, tables: &Tables<T>) -> Result<(), Error> {
        self.along_y.run(stream, &self.field, &tables.twiddles, &mut self.columns)?;
        Ok(self.along_x.run(stream, &self.columns, &tables.twiddles, &mut self.spectrum)?)
    }

    /// Stage 3.
    pub fn propagate(
        &mut self,
        stream: &mut Stream,
        tables: &Tables<T>,
        field: Field,
        fields: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let (table, place) = match field {
            Field::Pressure => (0, 0),
            Field::NormalVelocity => (1, 1),
        };
        let Self { on_grid, back_along_x, back_along_y, spectrum, product, half, .. } = self;
        let back_along_y = back_along_y.get(place).ok_or(Error::NoVelocity)?;
        on_grid.multiply(stream, spectrum, (&tables.operators, table), product)?;
        back_along_x.run(stream, product, &tables.twiddles, half)?;
        Ok(back_along_y.run(stream, half, &tables.twiddles, fields)?)
    }
}

impl<T: Real + Float> Prediction<T> {
    fn new(
        stream: &mut Stream,
        kernels: &stages::Stages<T>,
        settings: &Settings,
        count: usize,
        order: usize,
    ) -> Result<Self, Error> {
        let mut passes = |rows_first| Passes::new(stream, kernels, settings, (count, order), rows_first);
        let rows_first = passes(true)?;
        let planar = matches!(settings.padding, Padding::Plpbp { .. });
        let columns_first = planar.then(|| passes(false)).transpose()?;
        let scratch = rows_first.scratch().max(columns_first.as_ref().map_or(0, Passes::scratch));
        let other = |passes| -> Result<_, Error> {
            let length = count * settings.grid.len();
            Ok((passes, Buffer::zeros(stream, "field of the other order", length)?))
        };
        Ok(Self {
            rows_first,
            columns_first: columns_first.map(other).transpose()?,
            scratch: Buffer::zeros(stream, "errors of the prediction", scratch)?,
        })
    }
}

impl<T: Real + Float> Passes<T> {
    /// From `[hologram][y][x]` of the aperture to `[hologram][x][y]` of the grid.
    fn new(
        stream: &mut Stream,
        kernels: &stages::Stages<T>,
        settings: &Settings,
        (count, order): (usize, usize),
        rows_first: bool,
    ) -> Result<Self, Error> {
        let (row, col) = Extent::of(&settings.grid);
        let (measured, whole) = (col.measured * row.measured, settings.grid.len());
        let (along, across, input, output) = if rows_first {
            (row, col, strides(measured, row.measured, 1), strides(whole, col.total, 1))
        } else {
            (col, row, strides(measured, 1, row.measured), strides(whole, 1, col.total))
        };
        let between = across.measured * along.total;
        let first = lines(along, count, order, across.measured, input, strides(between, along.total, 1));
        let second = lines(across, count, order, along.total, strides(between, 1, along.total), output);
        Ok(Self {
            first: Extend::new(kernels, first)?,
            second: Extend::new(kernels, second)?,
            between: Buffer::zeros(stream, "lines extended once", count * between)?,
        })
    }

    fn scratch(&self) -> usize {
        self.first.scratch().max(self.second.scratch())
    }

    fn run(
        &mut self,
        stream: &mut Stream,
        holograms: &Buffer<Complex<T>>,
        scratch: &mut Buffer<Complex<T>>,
        field: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        self.first.run(stream, holograms, scratch, &mut self.between)?;
        Ok(self.second.run(stream, &self.between, scratch, field)?)
    }
}

/// `lines` lines of `extent` in each of `count` holograms.
fn lines(extent: Extent, count: usize, order: usize, lines: usize, input: Strides, output: Strides) -> Lines {
    let Extent { before, measured, total } = extent;
    Lines { input, output, count, lines, before, measured, total, order }
}

/// Along y, then along x; a zero-padded field is zero outside the aperture.
fn forward(settings: &Settings, count: usize) -> [Transform; 2] {
    let (row, col) = Extent::of(&settings.grid);
    let filled = |extent: Extent| match settings.padding {
        Padding::Zero => extent.before..extent.before + extent.measured,
        Padding::Lpbp { .. } | Padding::Plpbp { .. } => 0..extent.total,
    };
    let (values, refinement) = (settings.grid.len(), settings.refinement);
    let (x, y) = (filled(row), filled(col));
    let columns = Strides { first: x.start * col.total, ..strides(values, col.total, 1) };
    let along_y = Transform {
        direction: Direction::Forward(y),
        input: columns,
        output: columns,
        count,
        lines: x.len(),
        length: col.total,
        refinement,
        table: 0,
    };
    let along_x = Transform {
        direction: Direction::Forward(x),
        input: strides(values, 1, col.total),
        output: strides(values, row.total, 1),
        lines: col.total,
        length: row.total,
        table: col.total * refinement,
        ..along_y.clone()
    };
    [along_y, along_x]
}

/// Along x, then along y to the place of each field; what lies outside the aperture is not computed.
fn inverse(settings: &Settings, count: usize) -> (Transform, Vec<Transform>) {
    let (row, col) = Extent::of(&settings.grid);
    let u = settings.refinement;
    let kept = |extent: Extent| extent.before * u..(extent.before + extent.measured) * u;
    let (x, y) = (kept(row), kept(col));
    let (width, half, result) = (x.len(), col.total * x.len(), y.len() * x.len());
    let along_x = Transform {
        direction: Direction::Inverse(x),
        input: strides(settings.grid.len(), row.total, 1),
        output: strides(half, width, 1),
        count,
        lines: col.total,
        length: row.total,
        refinement: u,
        table: col.total * u,
    };
    let along_y = |field: usize| Transform {
        direction: Direction::Inverse(y.clone()),
        input: strides(half, 1, width),
        output: Strides { first: field * count * result, ..strides(result, 1, width) },
        lines: width,
        length: col.total,
        table: 0,
        ..along_x.clone()
    };
    let fields = if settings.velocity { 2 } else { 1 };
    let along_y = (0..fields).map(along_y).collect();
    (along_x, along_y)
}
