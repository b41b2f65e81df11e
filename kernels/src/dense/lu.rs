//! LU with partial pivoting by panels: parts of them by [`panel`](super::panel); `cuda/lu.cu` exchanges rows and takes L^-1 of what is beside a panel; all that is left is products of cuBLAS, on request with 32-bit factors
//! rounded to the 11 bits that matrix units multiply at their full rate. While the rest of the matrix is updated, the next panel is factored beside it.

use super::library::Library;
use super::norms::Norms;
use super::panel::{Factoring, Found, Panels};
use super::parts::{Panel, Part};
use crate::calls::{self, sources};
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Kernel};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Program;
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const LU: Program = Program { samples: &[&[("BYTES", 4)], &[("BYTES", 8)]], ..sources::LU };

/// As in the source: most columns of a panel whose rows are exchanged at once, columns of a block, and what is done to them.
const PANEL: usize = 256;
const COLUMNS: usize = 4;
const EXCHANGES: u32 = 1;
const SOLVES: u32 = 2;

/// P A = L U in one matrix.
#[derive(Debug)]
pub struct Lu<T> {
    size: usize,
    factors: Buffer<Complex<T>>,
    /// Rows of A in the order of P A.
    order: Buffer<u32>,
    /// Whether products are the faster ones.
    fast: bool,
}

/// A matrix on its way.
struct Work<'a, T> {
    library: &'a Library,
    size: usize,
    matrix: Buffer<Complex<T>>,
    factoring: Factoring,
    found: Found,
    /// For the columns of a panel, and for all.
    beside: [(usize, Kernel); 2],
    fast: bool,
}

impl Library {
    /// P A = L U, in place; `fast`: with products of factors of 11 bits for 32-bit numbers, and of three real ones for 64-bit numbers.
    pub fn factor<T: Float>(
        &self,
        stream: &mut Stream,
        matrix: Buffer<Complex<T>>,
        size: usize,
        fast: bool,
        wanted: Panels,
    ) -> Result<Lu<T>, Error> {
        same("matrix", matrix.len(), size * size)?;
        let module = self.load(stream, &LU, &[("BYTES", T::BYTES)])?;
        let beside = |columns: usize| {
            let geometry = Geometry::new([columns.div_ceil(COLUMNS), 1, 1], PANEL, 0)?;
            Ok((columns, module.prepare(&calls::LU_EXCHANGE, geometry)?))
        };
        let width = width::<T>(size);
        let found = Found {
            moves: Buffer::poisoned(stream, "exchanges of rows", 2 * size)?,
            wrong: Buffer::poisoned(stream, "state of LU", 1)?,
        };
        let mut work = Work {
            library: self,
            size,
            factoring: Factoring::new(self, stream, &module, &matrix, size, wanted)?,
            found,
            beside: [beside(width)?, beside(size)?],
            matrix,
            fast,
        };
        let mut side = Stream::urgent(stream.device())?;
        let all: Vec<Panel> = Panel::whole(size).cut(width).collect();
        work.panel(stream, all[0])?;
        for (at, panel) in all.iter().enumerate() {
            let Some(next) = all.get(at + 1) else {
                work.exchange(stream, *panel, [0, panel.first])?;
                break;
            };
            work.update(stream, *panel, [next.first, next.end()])?;
            stream.fork(&mut side)?;
            work.panel(&mut side, *next)?;
            work.update(stream, *panel, [next.end(), size])?;
            work.exchange(stream, *panel, [0, panel.first])?;
            stream.join(&mut side)?;
        }
        let mut wrong = [0];
        stream.download(&work.found.wrong, &mut wrong)?;
        match wrong {
            [u32::MAX] => Ok(Lu { size, order: work.order(stream, &all)?, factors: work.matrix, fast }),
            [pivot] => Err(Error::SingularMatrix { pivot: pivot as usize, size }),
        }
    }

    /// A^-1 B, panel by panel: nearly all of it is products.
    pub fn solve<T: Float>(
        &self,
        stream: &mut Stream,
        norms: &Norms,
        lu: &Lu<T>,
        right: &Buffer<Complex<T>>,
    ) -> Result<Buffer<Complex<T>>, Error> {
        let columns = right.len() / lu.size;
        let mut values = Buffer::unwritten(stream, "solutions", right.len())?;
        norms.order(stream, right, &mut values, &lu.order, false)?;
        if columns == 0 {
            return Ok(values);
        }
        let module = self.load(stream, &LU, &[("BYTES", T::BYTES)])?;
        let geometry = Geometry::new([columns.div_ceil(COLUMNS), 1, 1], PANEL, 0)?;
        let triangle = module.prepare(&calls::LU_TRIANGLE, geometry)?;
        let (factors, b) = (Part::new(&lu.factors, lu.size), Part::new(&values, lu.size));
        let mut solve = |stream: &mut Stream, Panel { first, width, .. }: Panel, upper: u32| {
            let [size, first, width, columns] = [
                size32("rows", lu.size)?,
                size32("rows", first)?,
                size32("rows", width)?,
                size32("columns", columns)?,
            ];
            let call = calls::lu_triangle(&lu.factors, &mut values, size, first, width, columns, upper);
            triangle.launch(stream, call)
        };
        self.bind(stream)?;
        for panel in Panel::whole(lu.size).cut(PANEL) {
            solve(stream, panel, 0)?;
            let Panel { first, width, rest } = panel;
            let parts = [factors.at(panel.end(), first), b.at(first, 0), b.at(panel.end(), 0)];
            self.subtract::<T>(parts, [rest, width, columns], lu.fast)?;
        }
        for panel in Panel::whole(lu.size).cut(PANEL).rev() {
            solve(stream, panel, 1)?;
            let Panel { first, width, .. } = panel;
            let parts = [factors.at(0, first), b.at(first, 0), b];
            self.subtract::<T>(parts, [first, width, columns], lu.fast)?;
        }
        Ok(values)
    }

    /// A^-H B.
    pub fn solve_adjoint<T: Float>(
        &self,
        stream: &mut Stream,
        norms: &Norms,
        lu: &Lu<T>,
        right: &Buffer<Complex<T>>,
    ) -> Result<Buffer<Complex<T>>, Error> {
        let columns = right.len() / lu.size;
        let mut turned = Buffer::unwritten(stream, "solutions", right.len())?;
        stream.copy(right, &mut turned)?;
        self.bind(stream)?;
        let parts = [Part::new(&lu.factors, lu.size), Part::new(&turned, lu.size)];
        for is_upper in [true, false] {
            self.triangle::<T>(is_upper, [lu.size, columns], parts[0], parts[1])?;
        }
        let mut values = Buffer::unwritten(stream, "solutions", right.len())?;
        norms.order(stream, &turned, &mut values, &lu.order, true)?;
        Ok(values)
    }
}

impl<T: Float> Work<'_, T> {
    /// Columns of the parts in which a panel is factored.
    fn inner(&self, panel: Panel) -> usize {
        self.factoring.columns(self.size - panel.first)
    }

    /// Factors a panel that is up to date, narrower ones and their parts after one another.
    fn panel(&mut self, stream: &mut Stream, panel: Panel) -> Result<(), Error> {
        let (inner, rows) = (self.inner(panel), self.size - panel.first);
        for narrow in panel.cut(PANEL) {
            for part in narrow.cut(inner) {
                let place = [self.size, rows, part.first, part.width];
                self.factoring.factor(self.library, stream, &mut self.matrix, place, &mut self.found)?;
                self.beside(stream, part, inner, [narrow.first, narrow.end()], EXCHANGES | SOLVES)?;
                self.subtract(stream, part, [part.end(), narrow.end()], false)?;
            }
            self.beside(stream, narrow, inner, [panel.first, panel.end()], EXCHANGES | SOLVES)?;
            self.subtract(stream, narrow, [narrow.end(), panel.end()], self.fast)?;
        }
        Ok(())
    }

    /// Columns behind a panel: U = L^-1 A, and A - L U below.
    fn update(&mut self, stream: &mut Stream, panel: Panel, columns: [usize; 2]) -> Result<(), Error> {
        let is_narrow = panel.width <= PANEL;
        if !is_narrow {
            // Rows that come from below the panel must be here before anything is taken from those within.
            self.exchange(stream, panel, columns)?;
        }
        for narrow in panel.cut(PANEL) {
            let what = if is_narrow { EXCHANGES | SOLVES } else { SOLVES };
            self.beside(stream, narrow, self.inner(panel), columns, what)?;
            let within = Panel { rest: panel.end() - narrow.end(), ..narrow };
            self.subtract(stream, within, columns, self.fast)?;
        }
        self.subtract(stream, panel, columns, self.fast)
    }

    /// Exchanges rows in columns beside a panel.
    fn exchange(&mut self, stream: &mut Stream, panel: Panel, columns: [usize; 2]) -> Result<(), Error> {
        let inner = self.inner(panel);
        panel.cut(PANEL).try_for_each(|narrow| self.beside(stream, narrow, inner, columns, EXCHANGES))
    }

    /// A - L U in these columns, for the rows behind a panel.
    fn subtract(
        &self,
        stream: &Stream,
        panel: Panel,
        [from, to]: [usize; 2],
        fast: bool,
    ) -> Result<(), Error> {
        let Panel { first, width, rest } = panel;
        self.library.bind(stream)?;
        let whole = Part::new(&self.matrix, self.size);
        let parts = [whole.at(panel.end(), first), whole.at(first, from), whole.at(panel.end(), from)];
        self.library.subtract::<T>(parts, [rest, width, to - from], fast)
    }

    /// Exchanges rows as the parts of a panel did, in these columns but for its own, or takes L^-1 of what is behind it, or both.
    fn beside(
        &mut self,
        stream: &mut Stream,
        panel: Panel,
        inner: usize,
        [from, to]: [usize; 2],
        what: u32,
    ) -> Result<(), Error> {
        let own = if (from..to).contains(&panel.first) { panel.width } else { 0 };
        if to - from == own {
            return Ok(());
        }
        let mut told = [0; 6];
        let numbers = [self.size, panel.first, panel.width, inner, from, to];
        for (told, number) in told.iter_mut().zip(numbers) {
            *told = size32("rows", number)?;
        }
        let kernel = self.beside.iter().find(|(columns, _)| to - from <= *columns);
        let [size, first, width, inner, from, to] = told;
        let (matrix, moves) = (&mut self.matrix, &self.found.moves);
        let call = calls::lu_exchange(matrix, moves, size, first, width, inner, from, to, what);
        kernel.map_or(Ok(()), |(_, kernel)| kernel.launch(stream, call))
    }

    /// Rows of A in the order of P A.
    fn order(&self, stream: &mut Stream, all: &[Panel]) -> Result<Buffer<u32>, Error> {
        let moves = stream.values(&self.found.moves)?;
        let (comes, goes) = moves.split_at(self.size);
        let mut order: Vec<u32> = (0..size32("rows", self.size)?).collect();
        let narrow = all.iter().flat_map(|panel| panel.cut(PANEL).map(|narrow| (narrow, self.inner(*panel))));
        for part in narrow.flat_map(|(narrow, inner)| narrow.cut(inner)) {
            let rows = part.first..part.end();
            let moved: Vec<[u32; 2]> =
                rows.clone().map(|row| [order[comes[row] as usize], order[row]]).collect();
            for (row, [came, went]) in rows.zip(moved) {
                order[row] = came;
                order.get_mut(goes[row] as usize).into_iter().for_each(|place| *place = went);
            }
        }
        Buffer::from_slice(stream, "order of rows", &order)
    }
}

/// Columns of a panel. Wide ones make faster products, but take longer themselves: they pay where products in 64 bits take longer than the next panel (measured on an H200).
const fn width<T: Float>(size: usize) -> usize {
    if T::BYTES == 8 && size > 9000 { 4 * PANEL } else { PANEL }
}
