//! Image formats: the Vulkan format that stores an order and a type of channels, and how its components become the channels
//! again.

use crate::cl::*;
use hekla_compiler::kernel::image_word;
use hekla_vk_backend as vk;
use vk::Component::{self, One, Zero, A, B, G, R};

/// The order in which kernels that write store a colour's components in a texel. (Kernels that only read see the components in
/// order: the view of the image reorders them.) The values are the ones in the image word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreOrder {
    /// The components in their order.
    Rgba = image_word::STORE_RGBA as isize,
    Bgra = image_word::STORE_BGRA as isize,
    Argb = image_word::STORE_ARGB as isize,
    Abgr = image_word::STORE_ABGR as isize,
    /// Alpha as the first component.
    Alpha = image_word::STORE_A as isize,
    /// The components in their order, encoded as sRGB.
    Srgb = image_word::STORE_SRGB as isize,
    SrgbBgra = image_word::STORE_SRGB_BGRA as isize,
    /// Red as the first component, alpha as the second.
    RedAlpha = image_word::STORE_RA as isize,
}

/// How texels of an image format are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub format: vk::Format,
    /// The format of the view for kernels that only read.
    pub read_as: vk::Format,
    /// The components of the stored texel that kernels see as red, green, blue and alpha.
    pub components: [Component; 4],
    /// The order in which kernels write the components; `None` if kernels do not write such texels.
    pub store: Option<StoreOrder>,
}

/// Types of channels, with the formats of one, two and four channels.
const COLOURS: [(cl_uint, [vk::Format; 3]); 12] = {
    use vk::Format as F;
    [
        (CL_SNORM_INT8, [F::R8_SNORM, F::R8G8_SNORM, F::R8G8B8A8_SNORM]),
        (CL_SNORM_INT16, [F::R16_SNORM, F::R16G16_SNORM, F::R16G16B16A16_SNORM]),
        (CL_UNORM_INT8, [F::R8_UNORM, F::R8G8_UNORM, F::R8G8B8A8_UNORM]),
        (CL_UNORM_INT16, [F::R16_UNORM, F::R16G16_UNORM, F::R16G16B16A16_UNORM]),
        (CL_SIGNED_INT8, [F::R8_SINT, F::R8G8_SINT, F::R8G8B8A8_SINT]),
        (CL_SIGNED_INT16, [F::R16_SINT, F::R16G16_SINT, F::R16G16B16A16_SINT]),
        (CL_SIGNED_INT32, [F::R32_SINT, F::R32G32_SINT, F::R32G32B32A32_SINT]),
        (CL_UNSIGNED_INT8, [F::R8_UINT, F::R8G8_UINT, F::R8G8B8A8_UINT]),
        (CL_UNSIGNED_INT16, [F::R16_UINT, F::R16G16_UINT, F::R16G16B16A16_UINT]),
        (CL_UNSIGNED_INT32, [F::R32_UINT, F::R32G32_UINT, F::R32G32B32A32_UINT]),
        (CL_HALF_FLOAT, [F::R16_SFLOAT, F::R16G16_SFLOAT, F::R16G16B16A16_SFLOAT]),
        (CL_FLOAT, [F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32A32_SFLOAT]),
    ]
};

/// Orders of channels.
#[allow(non_upper_case_globals)]
const ORDERS: [cl_uint; 19] = [
    CL_R,
    CL_A,
    CL_RG,
    CL_RA,
    CL_RGB,
    CL_RGBA,
    CL_BGRA,
    CL_ARGB,
    CL_INTENSITY,
    CL_LUMINANCE,
    CL_Rx,
    CL_RGx,
    CL_RGBx,
    CL_DEPTH,
    CL_sRGB,
    CL_sRGBx,
    CL_sRGBA,
    CL_sBGRA,
    CL_ABGR,
];

/// Returns true if an order and a type of channels go together (5.3.1.1): other pairs are not formats at all.
#[allow(non_upper_case_globals)]
pub fn is_valid(format: cl_image_format) -> bool {
    let cl_image_format { image_channel_order: order, image_channel_data_type: kind } = format;
    let packed = matches!(kind, CL_UNORM_SHORT_565 | CL_UNORM_SHORT_555 | CL_UNORM_INT_101010);
    let known = packed || kind == CL_UNORM_INT_101010_2 || COLOURS.iter().any(|(c, _)| *c == kind);
    let fits = match order {
        CL_RGB | CL_RGBx => packed,
        CL_RGBA => !packed,
        CL_INTENSITY | CL_LUMINANCE => matches!(
            kind,
            CL_UNORM_INT8
                | CL_UNORM_INT16
                | CL_SNORM_INT8
                | CL_SNORM_INT16
                | CL_HALF_FLOAT
                | CL_FLOAT
        ),
        CL_DEPTH => matches!(kind, CL_UNORM_INT16 | CL_FLOAT),
        CL_BGRA | CL_ARGB | CL_ABGR => {
            matches!(kind, CL_UNORM_INT8 | CL_SNORM_INT8 | CL_SIGNED_INT8 | CL_UNSIGNED_INT8)
        }
        CL_sRGB | CL_sRGBx | CL_sRGBA | CL_sBGRA => kind == CL_UNORM_INT8,
        _ => !packed && kind != CL_UNORM_INT_101010_2,
    };
    known && ORDERS.contains(&order) && fits
}

/// Returns how texels of a format are stored; `None` for a format that no device offers.
#[allow(non_upper_case_globals)]
pub fn layout(format: cl_image_format) -> Option<Layout> {
    if !is_valid(format) {
        return None;
    }
    let cl_image_format { image_channel_order: order, image_channel_data_type: kind } = format;
    let srgb = |components, store| {
        let (format, read_as) = (vk::Format::R8G8B8A8_UNORM, vk::Format::R8G8B8A8_SRGB);
        Some(Layout { format, read_as, components, store: Some(store) })
    };
    // The index by number of channels (0: one, 1: two, 2: four), the components for reads, the order for writes.
    let (channels, components, store) = match order {
        CL_R | CL_DEPTH => (0, Component::IDENTITY, StoreOrder::Rgba),
        CL_A => (0, [Zero, Zero, Zero, R], StoreOrder::Alpha),
        CL_INTENSITY => (0, [R; 4], StoreOrder::Rgba),
        CL_LUMINANCE => (0, [R, R, R, One], StoreOrder::Rgba),
        CL_RA => (1, [R, Zero, Zero, G], StoreOrder::RedAlpha),
        CL_RG => (1, Component::IDENTITY, StoreOrder::Rgba),
        CL_RGBA => (2, Component::IDENTITY, StoreOrder::Rgba),
        CL_BGRA => (2, [B, G, R, A], StoreOrder::Bgra),
        CL_ARGB => (2, [G, B, A, R], StoreOrder::Argb),
        CL_ABGR => (2, [A, B, G, R], StoreOrder::Abgr),
        // CL_RGBx is missing: OpenCL C 6.15.15.1 makes its border transparent, and the conformance tests expect an opaque one.
        CL_RGB => return packed(kind),
        CL_sRGBA => return srgb(Component::IDENTITY, StoreOrder::Srgb),
        CL_sBGRA => return srgb([B, G, R, A], StoreOrder::SrgbBgra),
        _ => return None,
    };
    let (_, formats) = COLOURS.iter().find(|(colour, _)| *colour == kind)?;
    let format = formats[channels];
    Some(Layout { format, read_as: format, components, store: Some(store) })
}

/// Returns how texels of a format are stored in a buffer. Views of buffers cannot reorder components.
pub fn layout_in_buffer(format: cl_image_format) -> Option<Layout> {
    let bgra =
        cl_image_format { image_channel_order: CL_BGRA, image_channel_data_type: CL_UNORM_INT8 };
    if format == bgra {
        let (format, components) = (vk::Format::B8G8R8A8_UNORM, Component::IDENTITY);
        let store = Some(StoreOrder::Rgba);
        return Some(Layout { format, read_as: format, components, store });
    }
    let depth = format.image_channel_order == CL_DEPTH;
    let plain = |layout: &Layout| {
        layout.components == Component::IDENTITY && layout.read_as == layout.format
    };
    layout(format).filter(plain).filter(|_| !depth)
}

/// Returns how texels that are one packed integer are stored.
fn packed(kind: cl_uint) -> Option<Layout> {
    let format = match kind {
        // CL_UNORM_SHORT_565 and 555 are missing: NVIDIA's driver widens five bits to eight, which turns 11/31 into 90/255.
        CL_UNORM_INT_101010 => vk::Format::A2R10G10B10_UNORM_PACK32,
        _ => return None,
    };
    Some(Layout::read(format, [R, G, B, One]))
}

impl Layout {
    /// Returns the layout of texels that kernels only read.
    fn read(format: vk::Format, components: [Component; 4]) -> Layout {
        Layout { format, read_as: format, components, store: None }
    }

    /// Returns the bytes of a texel.
    pub fn texel(&self) -> usize {
        self.format.bytes() as usize
    }
}

/// Returns true if an image of a format can be made of the texels of an image of another format, `parent` (5.3.1.2, Compatible
/// Image Channel Orders).
#[allow(non_upper_case_globals)]
pub fn is_compatible(format: cl_image_format, parent: cl_image_format) -> bool {
    let orders = (format.image_channel_order, parent.image_channel_order);
    let known = matches!(
        orders,
        (CL_sBGRA, CL_BGRA)
            | (CL_BGRA, CL_sBGRA)
            | (CL_sRGBA, CL_RGBA)
            | (CL_RGBA, CL_sRGBA)
            | (CL_sRGB, CL_RGB)
            | (CL_RGB, CL_sRGB)
            | (CL_sRGBx, CL_RGBx)
            | (CL_RGBx, CL_sRGBx)
            | (CL_DEPTH, CL_R)
    );
    known && format.image_channel_data_type == parent.image_channel_data_type
}

/// Returns all formats that a device may offer.
pub fn all() -> impl Iterator<Item = cl_image_format> {
    let packed = [CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010];
    let kinds = COLOURS.map(|(kind, _)| kind).into_iter().chain(packed);
    let of = |order| {
        kinds.clone().map(move |kind| cl_image_format {
            image_channel_order: order,
            image_channel_data_type: kind,
        })
    };
    let all: Vec<_> = ORDERS.into_iter().flat_map(of).filter(|f| layout(*f).is_some()).collect();
    all.into_iter()
}

/// Formats that kernels of a full profile's device can read and write (5.3.2.1).
pub fn required() -> impl Iterator<Item = cl_image_format> {
    let plain = all().filter(|f| f.image_channel_order == CL_RGBA && !is_signed_norm(f));
    plain.chain([cl_image_format {
        image_channel_order: CL_BGRA,
        image_channel_data_type: CL_UNORM_INT8,
    }])
}

/// Formats that a kernel can both read and write on devices that have read-write images (5.3.2.1).
pub fn required_to_read_and_write() -> impl Iterator<Item = cl_image_format> {
    all().filter(|f| {
        let order = matches!(f.image_channel_order, CL_R | CL_RGBA);
        order && !is_signed_norm(f) && f.image_channel_data_type != CL_UNORM_INT16
    })
}

fn is_signed_norm(format: &cl_image_format) -> bool {
    matches!(format.image_channel_data_type, CL_SNORM_INT8 | CL_SNORM_INT16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_components_of_a_view_undo_the_store_order() {
        for format in all() {
            let Some(layout) = layout(format) else { continue };
            // The component that each place of a stored texel receives when a kernel writes (r, g, b, a).
            let stored = match layout.store {
                None | Some(StoreOrder::Rgba) => continue,
                Some(StoreOrder::Srgb) => [R, G, B, A],
                Some(StoreOrder::Bgra | StoreOrder::SrgbBgra) => [B, G, R, A],
                Some(StoreOrder::Argb) => [A, R, G, B],
                Some(StoreOrder::Abgr) => [A, B, G, R],
                Some(StoreOrder::Alpha) => [A, Zero, Zero, Zero],
                Some(StoreOrder::RedAlpha) => [R, A, Zero, Zero],
            };
            let place = |seen: Component| [R, G, B, A].iter().position(|c| *c == seen);
            for (component, seen) in [R, G, B, A].into_iter().zip(layout.components) {
                let Some(place) = place(seen) else { continue };
                assert_eq!(stored[place], component, "{format:?}");
            }
        }
    }

    #[test]
    fn formats_are_what_the_tables_say() {
        assert_eq!((required().count(), required_to_read_and_write().count()), (11, 18));
        let of = |order, kind| cl_image_format {
            image_channel_order: order,
            image_channel_data_type: kind,
        };
        for (order, kind) in [
            (CL_RGB, CL_UNORM_INT8),
            (CL_RGBA, CL_UNORM_SHORT_565),
            (CL_BGRA, CL_FLOAT),
            (CL_LUMINANCE, CL_SIGNED_INT8),
            (CL_DEPTH, CL_UNORM_INT8),
            (CL_sRGBA, CL_FLOAT),
            (CL_R, 0x10DF),
            (0x10BE, CL_UNORM_INT8),
            (0, 0),
        ] {
            assert!(!is_valid(of(order, kind)), "{order:#x} {kind:#x}");
        }
        assert!(is_valid(of(CL_RGBA, CL_UNORM_INT_101010_2)));
        assert_eq!(layout(of(CL_RGBA, CL_UNORM_INT_101010_2)), None);
        assert_eq!(layout(of(CL_BGRA, CL_UNORM_INT8)).map(|l| l.texel()), Some(4));
    }
}
