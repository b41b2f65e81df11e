//! Real and imaginary parts in registers, for 32 and 64 bits.

use numerics::real::Real;
use pulp::Simd;
use pulp::bytemuck::Pod;

/// Real and imaginary parts: `f32` or `f64`, and registers of them.
pub trait Part: Real + Pod {
    type Register<S: Simd>: Pod;
    /// As many as there are whole ones in a slice.
    fn registers<S: Simd>(values: &[Self]) -> &[Self::Register<S>];
    /// The same, to be written.
    fn registers_mut<S: Simd>(values: &mut [Self]) -> &mut [Self::Register<S>];
    /// One number everywhere.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Register<S>;
    fn plus<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    fn minus<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// a b + c, rounded once where that is an instruction.
    fn multiply_add<S: Simd>(
        simd: S,
        a: Self::Register<S>,
        b: Self::Register<S>,
        c: Self::Register<S>,
    ) -> Self::Register<S>;
    /// Real and imaginary parts of complex numbers, in an order that depends on the instruction set.
    fn apart<S: Simd>(simd: S, pair: [Self::Register<S>; 2]) -> [Self::Register<S>; 2];
    /// Takes that back.
    fn together<S: Simd>(simd: S, parts: [Self::Register<S>; 2]) -> [Self::Register<S>; 2];
}

macro_rules! part {
    ($part:ty: $register:ident, $slice:ident, $slice_mut:ident;
     $($name:ident($($value:ident: $kind:ty),+) -> $result:ty = $instruction:ident;)+) => {
        impl Part for $part {
            type Register<S: Simd> = S::$register;
            #[inline(always)]
            fn registers<S: Simd>(values: &[Self]) -> &[S::$register] {
                S::$slice(values).0
            }
            #[inline(always)]
            fn registers_mut<S: Simd>(values: &mut [Self]) -> &mut [S::$register] {
                S::$slice_mut(values).0
            }
            $(#[inline(always)]
            fn $name<S: Simd>(simd: S, $($value: $kind),+) -> $result {
                simd.$instruction($($value),+)
            })+
        }
    };
}

part! { f32: f32s, as_simd_f32s, as_mut_simd_f32s;
    splat(value: f32) -> S::f32s = splat_f32s;
    plus(a: S::f32s, b: S::f32s) -> S::f32s = add_f32s;
    minus(a: S::f32s, b: S::f32s) -> S::f32s = sub_f32s;
    multiply_add(a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s = mul_add_e_f32s;
    apart(pair: [S::f32s; 2]) -> [S::f32s; 2] = deinterleave_shfl_f32s;
    together(parts: [S::f32s; 2]) -> [S::f32s; 2] = interleave_shfl_f32s;
}
part! { f64: f64s, as_simd_f64s, as_mut_simd_f64s;
    splat(value: f64) -> S::f64s = splat_f64s;
    plus(a: S::f64s, b: S::f64s) -> S::f64s = add_f64s;
    minus(a: S::f64s, b: S::f64s) -> S::f64s = sub_f64s;
    multiply_add(a: S::f64s, b: S::f64s, c: S::f64s) -> S::f64s = mul_add_e_f64s;
    apart(pair: [S::f64s; 2]) -> [S::f64s; 2] = deinterleave_shfl_f64s;
    together(parts: [S::f64s; 2]) -> [S::f64s; 2] = interleave_shfl_f64s;
}
