//! The tables of the vector kernels: sets of bytes by their two nibbles.

/// For each low nibble, the white space character with that nibble. A nibble without one has 0,
/// which equals no byte with this nibble, because its own nibble is 0.
pub(crate) const SPACES: [u8; 16] = [b' ', 0, 0, 0, 0, 0, 0, 0, 0, b'\t', b'\n', 0, 0, b'\r', 0, 0];
/// The bytes that end a plain run of XML character data: for both nibbles of a byte a set. The sets
/// intersect if the byte is one of them.
pub(crate) const TEXT_STOPS: Nibbles = Nibbles::of(&[
    (0x0, 0b1111_1001_1111_1111),
    (0x1, 0xFFFF),
    (0x2, 1 << 0x6),
    (0x3, 1 << 0xC),
    (0x5, 1 << 0xD),
    (0xE, 1 << 0xF),
]);
/// The letters, digits and signs of ASCII that an XML name may contain, except the colon.
pub(crate) const NAME_BYTES: Nibbles = Nibbles::of(&[
    (0x2, 1 << 0xD | 1 << 0xE),
    (0x3, 0x03FF),
    (0x4, 0xFFFE),
    (0x5, 0x87FF),
    (0x6, 0xFFFE),
    (0x7, 0x07FF),
]);
/// For each set of eight lanes of two bytes, the shuffle that moves those in the set to the front.
pub(crate) const COMPACT: [[u8; 16]; 256] = {
    let mut table = [[0x80; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut place) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set][2 * place] = 2 * lane as u8;
                table[set][2 * place + 1] = 2 * lane as u8 + 1;
                place += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// A set of bytes as two tables, by the low nibble and by the high one.
pub(crate) struct Nibbles {
    pub(crate) low: [u8; 16],
    pub(crate) high: [u8; 16],
}

impl Nibbles {
    /// The set with these low nibbles, one bit each, for each high nibble. It has up to seven rows,
    /// because a row is one bit of the tables' entries, which must stay positive.
    pub(crate) const fn of(rows: &[(usize, u16)]) -> Self {
        assert!(rows.len() < 8);
        let mut tables = Nibbles { low: [0; 16], high: [0; 16] };
        let mut row = 0;
        while row < rows.len() {
            let (high, lows) = rows[row];
            tables.high[high] |= 1 << row;
            let mut low = 0;
            while low < 16 {
                tables.low[low] |= ((lows >> low & 1) as u8) << row;
                low += 1;
            }
            row += 1;
        }
        tables
    }
}
