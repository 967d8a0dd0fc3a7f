//! `exact DIR FIRST COUNT [double]`: writes programs whose results are fixed to the bit (`hekla_fuzz::exact`) into a
//! folder, one for each number from FIRST on.

use arbitrary::Unstructured;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| args.get(index).and_then(|a| a.parse::<u64>().ok());
    let (Some(folder), Some(first), Some(count)) = (args.first(), number(1), number(2)) else {
        eprintln!("usage: exact DIR FIRST COUNT [double]");
        std::process::exit(2);
    };
    for seed in first..first + count {
        // Knuth's MMIX generator; its high bits are the better ones.
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bytes: Vec<u8> = (0..400 + 37 * (seed % 64))
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        let double = args.get(3).is_some();
        let text = hekla_fuzz::exact::program(&mut Unstructured::new(&bytes), double);
        let path = format!("{folder}/{seed}.cl");
        if let Err(error) = text
            .map_err(|e| e.to_string())
            .and_then(|text| std::fs::write(&path, text).map_err(|e| e.to_string()))
        {
            eprintln!("{path}: {error}");
            std::process::exit(1);
        }
    }
}
