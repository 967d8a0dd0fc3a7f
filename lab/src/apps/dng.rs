//! A raw photograph, as a camera with a Bayer sensor would store it: a DNG file of a generated scene.

/// The size of the picture. Its outermost pixels have one grey, since raw converters may treat a border as they like.
const WIDTH: usize = 600;
const HEIGHT: usize = 400;
const BORDER: usize = 20;

const BLACK: u16 = 512;
const WHITE: u16 = 15_512;
/// The matrix from XYZ to linear sRGB, in ten thousandths: the camera's colours are those of sRGB.
const COLOUR_MATRIX: [i32; 9] = [32406, -15372, -4986, -9689, 18758, 415, 557, -2040, 10570];

/// Types of TIFF values.
const BYTE: u16 = 1;
const ASCII: u16 = 2;
const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;
const SIGNED_RATIONAL: u16 = 10;

/// Returns the file.
pub fn file() -> Vec<u8> {
    let mosaic = mosaic();
    let shorts = |values: &[u16]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let long = |value: usize| (value as u32).to_le_bytes().to_vec();
    let matrix = COLOUR_MATRIX.iter().flat_map(|&v| [v, 10_000]).flat_map(i32::to_le_bytes);
    let neutral = [1u32; 6].iter().flat_map(|v| v.to_le_bytes()).collect();
    // Tag, type, count and value, by tag.
    let tags: Vec<(u16, u16, u32, Vec<u8>)> = vec![
        (254, LONG, 1, long(0)),
        (256, LONG, 1, long(WIDTH)),
        (257, LONG, 1, long(HEIGHT)),
        (258, SHORT, 1, shorts(&[16])),
        (259, SHORT, 1, shorts(&[1])),
        // A colour filter array.
        (262, SHORT, 1, shorts(&[32803])),
        (271, ASCII, 6, b"Hekla\0".to_vec()),
        (272, ASCII, 6, b"Scene\0".to_vec()),
        (273, LONG, 1, long(8)),
        (274, SHORT, 1, shorts(&[1])),
        (277, SHORT, 1, shorts(&[1])),
        (278, LONG, 1, long(HEIGHT)),
        (279, LONG, 1, long(mosaic.len())),
        (284, SHORT, 1, shorts(&[1])),
        // Red, green; green, blue.
        (33421, SHORT, 2, shorts(&[2, 2])),
        (33422, BYTE, 4, vec![0, 1, 1, 2]),
        (50706, BYTE, 4, vec![1, 4, 0, 0]),
        (50707, BYTE, 4, vec![1, 1, 0, 0]),
        (50708, ASCII, 12, b"Hekla Scene\0".to_vec()),
        (50714, SHORT, 1, shorts(&[BLACK])),
        (50717, SHORT, 1, shorts(&[WHITE])),
        (50721, SIGNED_RATIONAL, 9, matrix.collect()),
        (50728, RATIONAL, 3, neutral),
        // Daylight (D65).
        (50778, SHORT, 1, shorts(&[21])),
    ];
    let directory = 8 + mosaic.len();
    let mut long_values = directory + 2 + 12 * tags.len() + 4;
    let mut file = [b"II*\0".to_vec(), long(directory), mosaic].concat();
    let mut tail = Vec::new();
    file.extend((tags.len() as u16).to_le_bytes());
    for (tag, kind, count, mut value) in tags {
        file.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        file.extend(count.to_le_bytes());
        if value.len() <= 4 {
            value.resize(4, 0);
            file.extend(value);
        } else {
            file.extend(long(long_values));
            long_values += value.len();
            tail.extend(value);
        }
    }
    file.extend([0; 4]);
    file.extend(tail);
    file
}

/// Returns the values of the sensor: one colour per pixel.
fn mosaic() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(WIDTH * HEIGHT * 2);
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let light = scene(x, y)[x % 2 + y % 2];
            let value = f64::from(BLACK) + light * f64::from(WHITE - BLACK);
            bytes.extend((value as u16).to_le_bytes());
        }
    }
    bytes
}

/// Returns the light at a pixel, red, green and blue from 0 to 1: waves of colour, with soft discs of different
/// brightness.
fn scene(x: usize, y: usize) -> [f64; 3] {
    let is_inner = |at: usize, size: usize| (BORDER..size - BORDER).contains(&at);
    if !is_inner(x, WIDTH) || !is_inner(y, HEIGHT) {
        return [0.2; 3];
    }
    let (x, y) = (x as f64, y as f64);
    let wave = |period: f64, phase: f64| ((x + 0.6 * y) / period + phase).sin() * 0.5 + 0.5;
    let disc = |cx: f64, cy: f64| 1.0 / (1.0 + ((x - cx).hypot(y - cy) - 60.0).exp());
    let shade = 0.15 + 0.35 * y / HEIGHT as f64;
    let lights = 0.4 * disc(180.0, 150.0) - 0.12 * disc(420.0, 230.0);
    [(37.0, 0.0), (53.0, 1.0), (71.0, 2.5)].map(|(period, phase)| {
        (shade * (0.3 + 0.7 * wave(period, phase)) + lights).clamp(0.01, 0.95)
    })
}
