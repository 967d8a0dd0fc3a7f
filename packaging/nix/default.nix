# Hekla as a package of Nix: `nix-build packaging/nix`; on NixOS hardware.graphics.extraPackages takes it.
{
  pkgs ? import <nixpkgs> { },
}:

pkgs.rustPlatform.buildRustPackage {
  pname = "hekla";
  version = "0.1.0";

  src = pkgs.lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;
  cargoBuildFlags = [
    "--package"
    "hekla-icd"
    "--package"
    "xtask"
  ];

  # The tests need a Vulkan driver and SPIRV-Tools; those of the compiler itself do not.
  cargoTestFlags = [
    "--package"
    "hekla-compiler"
    "--lib"
  ];

  nativeBuildInputs = [ pkgs.autoPatchelfHook ];
  buildInputs = [ pkgs.stdenv.cc.cc.lib ];
  # Opened when the driver starts, not linked.
  appendRunpaths = [ (pkgs.lib.makeLibraryPath [ pkgs.vulkan-loader ]) ];

  installPhase = ''
    runHook preInstall
    release=target/${pkgs.stdenv.hostPlatform.rust.rustcTarget}/release
    install -Dm644 "$release/libhekla.so" "$out/lib/hekla/libhekla.so"
    install -Dm755 "$release/heklac" "$out/bin/heklac"
    install -Dm644 include/hekla.h "$out/include/hekla.h"
    install -Dm644 docs/man/heklac.1 "$out/share/man/man1/heklac.1"
    install -Dm644 docs/man/hekla.7 "$out/share/man/man7/hekla.7"
    mkdir -p "$out/etc/OpenCL/vendors"
    echo "$out/lib/hekla/libhekla.so" > "$out/etc/OpenCL/vendors/hekla.icd"
    runHook postInstall
  '';

  meta = {
    description = "OpenCL on Vulkan: an OpenCL driver for every GPU that has Vulkan";
    homepage = "https://github.com/hekla-cl/hekla";
    license = with pkgs.lib.licenses; [
      mit
      asl20
    ];
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "heklac";
  };
}
