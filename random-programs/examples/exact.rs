//! `exact DIR FIRST COUNT [double]`: writes programs whose results are fixed to the bit
//! (`hekla_random_programs::exact`) into a folder, one for each number from FIRST on.

use hekla_random_programs::exact::{numbered, Language};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| args.get(index).and_then(|a| a.parse::<u64>().ok());
    let (Some(folder), Some(first), Some(count)) = (args.first(), number(1), number(2)) else {
        eprintln!("usage: exact DIR FIRST COUNT [double]");
        std::process::exit(2);
    };
    for seed in first..first + count {
        let text = numbered(seed, args.get(3).is_some(), Language::OpenCl);
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
