//! Drivers and their versions.

/// A VkDriverId.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriverId(pub i32);

impl DriverId {
    pub const MESA_RADV: DriverId = DriverId(3);
    pub const NVIDIA_PROPRIETARY: DriverId = DriverId(4);
    pub const INTEL_OPEN_SOURCE_MESA: DriverId = DriverId(6);
    pub const GOOGLE_SWIFTSHADER: DriverId = DriverId(10);
    pub const MESA_LLVMPIPE: DriverId = DriverId(13);
    pub const MESA_TURNIP: DriverId = DriverId(18);
    pub const MESA_V3DV: DriverId = DriverId(19);
    pub const MESA_PANVK: DriverId = DriverId(20);
    pub const MESA_NVK: DriverId = DriverId(24);
    pub const MESA_HONEYKRISP: DriverId = DriverId(26);
}

/// The identity of a device's driver.
#[derive(Debug, Clone, Copy)]
pub struct Driver<'a> {
    pub id: DriverId,
    /// VkPhysicalDeviceProperties::driverVersion, in the vendor's own encoding.
    pub version: u32,
    /// VkPhysicalDeviceDriverProperties::driverInfo.
    pub info: &'a str,
    /// True if the device is VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU.
    pub is_discrete: bool,
}

/// A driver in which a quirk was found: its versions, and the type of its devices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drivers {
    id: DriverId,
    versions: Versions,
    discrete_only: bool,
}

/// Versions of a driver.
#[derive(Debug, Clone, Copy)]
enum Versions {
    Any,
    /// Versions with this major number, which NVIDIA's encoding has in the upper 10 bits.
    Nvidia(u32),
    /// Versions of Mesa before a major and minor number, and drivers that do not report their version.
    MesaBefore(u32, u32),
    /// Versions of Mesa after a major and minor number.
    MesaAfter(u32, u32),
}

impl Drivers {
    /// Returns all versions of a driver.
    pub(crate) const fn all(id: DriverId) -> Drivers {
        Drivers { id, versions: Versions::Any, discrete_only: false }
    }

    /// Returns the versions of NVIDIA's driver with a major number.
    pub(crate) const fn nvidia(major: u32) -> Drivers {
        let versions = Versions::Nvidia(major);
        Drivers { versions, ..Drivers::all(DriverId::NVIDIA_PROPRIETARY) }
    }

    /// Returns the versions of Mesa's driver before a major and minor number.
    pub(crate) const fn before(self, major: u32, minor: u32) -> Drivers {
        Drivers { versions: Versions::MesaBefore(major, minor), ..self }
    }

    /// Returns the versions of Mesa's driver after a major and minor number.
    pub(crate) const fn after(self, major: u32, minor: u32) -> Drivers {
        Drivers { versions: Versions::MesaAfter(major, minor), ..self }
    }

    /// Returns the driver, restricted to discrete devices.
    pub(crate) const fn discrete(self) -> Drivers {
        Drivers { discrete_only: true, ..self }
    }

    /// Returns true if a device has one of the drivers.
    pub(crate) fn contain(&self, driver: &Driver<'_>) -> bool {
        let is_version = || {
            let mesa = mesa_version(driver.info);
            match self.versions {
                Versions::Any => true,
                Versions::Nvidia(major) => driver.version >> 22 == major,
                Versions::MesaBefore(major, minor) => mesa.is_none_or(|v| v < (major, minor)),
                Versions::MesaAfter(major, minor) => mesa.is_some_and(|v| v > (major, minor)),
            }
        };
        self.id == driver.id && (driver.is_discrete || !self.discrete_only) && is_version()
    }
}

/// Returns the major and the minor number in a text like `Mesa 25.0.7-2 (LLVM 15.0.6)`. (Mesa's software drivers do not report
/// these numbers in `driverVersion`.)
fn mesa_version(driver_info: &str) -> Option<(u32, u32)> {
    let mut numbers = driver_info.strip_prefix("Mesa ")?.split(|c: char| !c.is_ascii_digit());
    let mut number = || numbers.next()?.parse().ok();
    Some((number()?, number()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAVAPIPE: Drivers = Drivers::all(DriverId::MESA_LLVMPIPE);

    fn lavapipe(info: &str) -> Driver<'_> {
        Driver { id: DriverId::MESA_LLVMPIPE, version: 1, info, is_discrete: false }
    }

    fn nvidia(version: u32) -> Driver<'static> {
        let id = DriverId::NVIDIA_PROPRIETARY;
        Driver { id, version, info: "580.159", is_discrete: true }
    }

    #[test]
    fn a_major_number_of_nvidia_is_ten_bits() {
        let contains = |version| Drivers::nvidia(580).contain(&nvidia(version));
        assert!(contains(580 << 22) && contains(580 << 22 | 159 << 14 | 3 << 6));
        assert!(!contains(579 << 22 | 255 << 14) && !contains(581 << 22));
    }

    #[test]
    fn versions_of_mesa_have_bounds() {
        let (before, after) = (LAVAPIPE.before(25, 0), LAVAPIPE.after(25, 0));
        for (info, is_before, is_after) in [
            ("Mesa 22.3.6 (LLVM 15.0.6)", true, false),
            ("Mesa 24.99.0", true, false),
            ("Mesa 25.0.0-rc1", false, false),
            ("Mesa 25.0.7", false, false),
            ("Mesa 25.1.0", false, true),
            ("Mesa 26.2.6-1 (LLVM 22.1.8)", false, true),
            // For a version that is not known `before` gives true, which is the careful answer, and `after` false.
            ("Mesa git", true, false),
            ("", true, false),
        ] {
            let found = (before.contain(&lavapipe(info)), after.contain(&lavapipe(info)));
            assert_eq!(found, (is_before, is_after), "{info}");
            assert!(LAVAPIPE.contain(&lavapipe(info)));
        }
    }

    #[test]
    fn drivers_are_told_apart() {
        let discrete = Drivers::all(DriverId::NVIDIA_PROPRIETARY).discrete();
        assert!(discrete.contain(&nvidia(1)));
        assert!(!discrete.contain(&Driver { is_discrete: false, ..nvidia(1) }));
        assert!(!discrete.contain(&Driver { is_discrete: true, ..lavapipe("Mesa 25.0.7") }));
        assert!(!LAVAPIPE.contain(&nvidia(1)));
    }

    #[test]
    fn versions_of_mesa_are_read() {
        for (text, version) in [
            ("Mesa 22.3.6 (LLVM 15.0.6)", Some((22, 3))),
            ("Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", Some((25, 0))),
            ("Mesa 26.2.6-1 (LLVM 22.1.8)", Some((26, 2))),
            ("Mesa 25.3-devel (git-0123abc) (LLVM 21.1.0)", Some((25, 3))),
            ("Mesa 100.12.0", Some((100, 12))),
            ("Mesa", None),
            ("Mesa git", None),
            ("Mesa 25", None),
            ("580.65.06", None),
            ("", None),
        ] {
            assert_eq!(mesa_version(text), version, "{text}");
        }
    }
}
