//! The driver's report on the loss of a device (VK_EXT_device_fault): a description, addresses with what was done there, and
//! the vendor's own entries.

use ash::{ext, vk};

/// The most entries of each kind that are reported.
const MOST: u32 = 16;

/// Returns the driver's account of the loss of a device, in lines; `None` where the driver has none. The device must be lost.
pub(super) fn account(functions: &ext::device_fault::Device) -> Option<String> {
    let get = functions.fp().get_device_fault_info_ext;
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: the device is lost; without a place for what there is, the counts alone are written.
    let told = unsafe { get(functions.device(), &raw mut counts, std::ptr::null_mut()) };
    if told != vk::Result::SUCCESS {
        return None;
    }
    counts.address_info_count = counts.address_info_count.min(MOST);
    counts.vendor_info_count = counts.vendor_info_count.min(MOST);
    // The vendor's binary is not asked for: only the vendor's tools can read it.
    counts.vendor_binary_size = 0;
    let mut addresses = vec![Default::default(); counts.address_info_count as usize];
    let mut vendor = vec![Default::default(); counts.vendor_info_count as usize];
    let mut info = vk::DeviceFaultInfoEXT {
        p_address_infos: addresses.as_mut_ptr(),
        p_vendor_infos: vendor.as_mut_ptr(),
        ..Default::default()
    };
    // SAFETY: the device is lost; there is room for as many entries as the counts say, which the driver lowers.
    let told = unsafe { get(functions.device(), &raw mut counts, &raw mut info) };
    if !matches!(told, vk::Result::SUCCESS | vk::Result::INCOMPLETE) {
        return None;
    }
    addresses.truncate(counts.address_info_count as usize);
    vendor.truncate(counts.vendor_info_count as usize);
    Some(text(&words(&info.description), &addresses, &vendor))
}

/// Returns the text of an array that a driver has filled.
fn words(chars: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> =
        chars.iter().map(|&char| char as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns an account as lines: the description, then a line for each address and for each of the vendor's entries.
fn text(
    description: &str,
    addresses: &[vk::DeviceFaultAddressInfoEXT],
    vendor: &[vk::DeviceFaultVendorInfoEXT],
) -> String {
    let mut text = description.to_string();
    for info in addresses {
        let (first, last) = range(info.reported_address, info.address_precision);
        text.push_str(&format!("\n{} at {first:#x}", what(info.address_type)));
        if last != first {
            text.push_str(&format!(" to {last:#x}"));
        }
    }
    for info in vendor {
        let (code, data) = (info.vendor_fault_code, info.vendor_fault_data);
        text.push_str(&format!("\n{} (code {code:#x}, data {data:#x})", words(&info.description)));
    }
    text
}

/// Returns the first and the last address that an address with a precision, a power of 2, may stand for.
fn range(address: u64, precision: u64) -> (u64, u64) {
    let below = precision.max(1) - 1;
    (address & !below, address | below)
}

fn what(kind: vk::DeviceFaultAddressTypeEXT) -> &'static str {
    use vk::DeviceFaultAddressTypeEXT as Kind;
    match kind {
        Kind::READ_INVALID => "an invalid read",
        Kind::WRITE_INVALID => "an invalid write",
        Kind::EXECUTE_INVALID => "an invalid execution",
        Kind::INSTRUCTION_POINTER_UNKNOWN => "an instruction",
        Kind::INSTRUCTION_POINTER_INVALID => "an invalid instruction pointer",
        Kind::INSTRUCTION_POINTER_FAULT => "the instruction that failed",
        _ => "a fault",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_tell_addresses_and_the_vendors_words() {
        let addresses = [
            vk::DeviceFaultAddressInfoEXT::default()
                .address_type(vk::DeviceFaultAddressTypeEXT::WRITE_INVALID)
                .reported_address(0x1234_5678)
                .address_precision(0x1000),
            vk::DeviceFaultAddressInfoEXT::default()
                .address_type(vk::DeviceFaultAddressTypeEXT::INSTRUCTION_POINTER_FAULT)
                .reported_address(0x40)
                .address_precision(1),
        ];
        let mut vendor = [vk::DeviceFaultVendorInfoEXT::default().vendor_fault_code(7)];
        for (to, from) in vendor[0].description.iter_mut().zip(b"GPCCLIENT_T1_0") {
            *to = *from as std::ffi::c_char;
        }
        assert_eq!(
            text("MMU fault", &addresses, &vendor),
            "MMU fault\nan invalid write at 0x12345000 to 0x12345fff\n\
             the instruction that failed at 0x40\nGPCCLIENT_T1_0 (code 0x7, data 0x0)"
        );
        assert_eq!(text("", &[], &[]), "");
    }
}
