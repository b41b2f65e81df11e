//! The square as gmsh writes it with `Mesh.Binary = 1`.

/// Numbers in one order of bytes.
pub struct Numbers {
    pub bytes: Vec<u8>,
    pub big: bool,
}

impl Numbers {
    pub fn text(&mut self, text: &str) {
        self.bytes.extend(text.bytes());
    }

    fn put<const N: usize>(&mut self, mut little: [u8; N]) {
        if self.big {
            little.reverse();
        }
        self.bytes.extend(little);
    }

    pub fn ints(&mut self, values: &[i32]) {
        values.iter().for_each(|value| self.put(value.to_le_bytes()));
    }

    pub fn sizes(&mut self, values: &[u64]) {
        values.iter().for_each(|value| self.put(value.to_le_bytes()));
    }

    pub fn reals(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.put(value.to_le_bytes()));
    }
}

const PLACES: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

fn header(version: &str, big: bool) -> Numbers {
    let mut file = Numbers { bytes: Vec::new(), big };
    file.text(&format!("$MeshFormat\n{version} 1 8\n"));
    file.ints(&[1]);
    file.text("\n$EndMeshFormat\n$PhysicalNames\n2\n0 3 \"a point\"\n2 7 \"top side\"\n$EndPhysicalNames\n");
    file
}

/// Format 2.2: a point, and two triangles in blocks of their own.
pub fn square_2(big: bool) -> Vec<u8> {
    let mut file = header("2.2", big);
    file.text("$Nodes\n4\n");
    for (tag, place) in [10, 20, 30, 40].iter().zip(PLACES) {
        file.ints(&[*tag]);
        file.reals(&place);
    }
    file.text("\n$EndNodes\n$Elements\n3\n");
    file.ints(&[15, 1, 2, 1, 3, 1, 10]);
    file.ints(&[2, 1, 2, 2, 7, 1, 10, 20, 30]);
    file.ints(&[2, 1, 2, 3, 7, 1, 10, 30, 40]);
    file.text("\n$EndElements\n");
    file.bytes
}

/// Format 4.1: a point, a curve and a surface; nodes of the surface have their parameters; one quadrangle.
pub fn square_4(big: bool) -> Vec<u8> {
    let mut file = header("4.1", big);
    file.text("$Entities\n");
    file.sizes(&[1, 1, 1, 0]);
    file.ints(&[1]);
    file.reals(&[0.0; 3]);
    file.sizes(&[1]);
    file.ints(&[3]);
    for (tag, groups, bounds) in [(4, &[][..], &[1, -1][..]), (5, &[7], &[4])] {
        file.ints(&[tag]);
        file.reals(&[0.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        file.sizes(&[groups.len() as u64]);
        file.ints(groups);
        file.sizes(&[bounds.len() as u64]);
        file.ints(bounds);
    }
    file.text("\n$EndEntities\n$Comments\nnothing $ here\n$EndComments\n$Nodes\n");
    file.sizes(&[2, 4, 1, 40]);
    file.ints(&[0, 1, 0]);
    file.sizes(&[1, 10]);
    file.reals(&PLACES[0]);
    file.ints(&[2, 5, 1]);
    file.sizes(&[3, 20, 30, 40]);
    PLACES[1..].iter().for_each(|place| file.reals(&[place[0], place[1], place[2], 0.5, 0.5]));
    file.text("\n$EndNodes\n$Elements\n");
    file.sizes(&[2, 2, 1, 2]);
    file.ints(&[0, 1, 15]);
    file.sizes(&[1, 1, 10]);
    file.ints(&[2, 5, 3]);
    file.sizes(&[1, 2, 10, 20, 30, 40]);
    file.text("\n$EndElements\n");
    file.bytes
}
