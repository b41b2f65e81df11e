use super::*;

/// What the paper's window reaches (`METHODS` of this project: relative root mean square, c = 2).
#[test]
fn kaisers_errors_are_those_of_the_literature() {
    for (k, expected) in [(3, 4.8e-6), (4, 5.3e-8), (5, 5.7e-10), (6, 6.2e-12)] {
        let window = Window::new(Kind::Kaiser(k), 1e-3, 2.0, &[101]).unwrap();
        println!("kaiser:{k}: {:.2e}", window.error);
        assert!(window.error < 2.0 * expected && window.error > 0.1 * expected, "{k}: {:e}", window.error);
    }
}

/// Widths of the prolate window: a decimal digit a point at twice the modes, as theory has it.
#[test]
fn a_point_of_width_is_a_decimal_digit() {
    for digits in 1..=14 {
        let window = Window::new(Kind::Prolate, 10f64.powi(-digits), 2.0, &[101]).unwrap();
        assert_eq!(window.width, digits as usize + 1, "{digits} digits: {:e}", window.error);
        // Not more than the exponential of semicircle.
        let other = Window::new(Kind::Semicircle, 10f64.powi(-digits), 2.0, &[101]).unwrap();
        assert!(other.width >= window.width, "{digits} digits");
    }
}

#[test]
fn polynomials_follow_the_window() {
    let window = Window::new(Kind::Prolate, 1e-12, 2.0, &[101, 101]).unwrap();
    assert!(window.worst(&window.samples(), &window.polynomials, window.degree) < 1e-13);
}

#[test]
fn smooth_numbers() {
    assert_eq!([1, 11, 13, 631, 2000, 2001].map(smooth), [1, 12, 14, 640, 2000, 2016]);
}
