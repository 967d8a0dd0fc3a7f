//! The recipes from which others make packages: Arch's PKGBUILD and the expression for Nix, checked by their tools.

use crate::system;
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

const RECIPES: [&str; 2] = ["packaging/arch/PKGBUILD", "packaging/nix/default.nix"];

/// Returns the paths of the recipes, which are files of the source tree.
pub fn make(_: &Path, _: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(RECIPES.iter().map(|recipe| system::root().join(recipe)).collect())
}

/// Passes the recipes to makepkg, which checks the fields, and to the parser of Nix.
pub fn test(_: &Path) -> Outcome {
    system::ensure_packages(&["makepkg", "nix-bin"])?;
    let folder = std::env::temp_dir().join(format!("hekla-arch-{}", std::process::id()));
    let copied = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::copy(system::root().join(RECIPES[0]), folder.join("PKGBUILD")));
    copied.map_err(|e| format!("{}: {e}", folder.display()))?;
    // makepkg does not run as root, and needs a package manager that it does not use here.
    let script = "chmod 777 . && if [ $(id -u) = 0 ]; then \
                  as='setpriv --reuid=nobody --regid=nogroup --clear-groups'; fi; \
                  PACMAN=true BUILDDIR=$PWD PKGDEST=$PWD HOME=$PWD $as makepkg --printsrcinfo";
    let output = Command::new("sh").args(["-c", script]).current_dir(&folder).output();
    let _ = std::fs::remove_dir_all(&folder);
    let output = output.map_err(|e| format!("makepkg: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() || !text.contains("pkgbase = hekla") {
        return Err(format!("makepkg: {text}{}", String::from_utf8_lossy(&output.stderr)));
    }
    print!("{text}");
    let mut parse = Command::new("nix-instantiate");
    system::capture(parse.arg("--parse").arg(system::root().join(RECIPES[1])))?;
    println!("nix-instantiate parses {}", RECIPES[1]);
    Ok(())
}
