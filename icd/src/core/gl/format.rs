//! OpenGL's internal formats, OpenCL's image formats for them (cl_khr_gl_sharing, cl_khr_gl_depth_images), and the parameters
//! with which OpenGL transfers their texels.

use super::constants::*;
use crate::cl::*;

/// How a texel is read from OpenGL and written to it, with the same bytes as in an image of OpenCL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The `format` and the `type` of OpenGL's pixel transfers.
    pub format: u32,
    pub data_type: u32,
    /// The number of channels of a texel, and the bytes of each channel.
    pub channels: usize,
    pub channel: usize,
}

impl Transfer {
    /// Returns the bytes of a texel.
    pub fn texel(self) -> usize {
        self.channels * self.channel
    }

    /// Returns the transfer with four channels by which OpenGL ES reads such texels (OpenGL ES 3.2, 16.1.2): integers are read
    /// as 32 bits, halves as floats. `None` for texels that OpenGL ES does not read.
    pub fn in_es(self) -> Option<Transfer> {
        let (format, data_type, channel) = match (self.format, self.data_type) {
            (RED | RG | RGBA | BGRA, UNSIGNED_BYTE) => (RGBA, UNSIGNED_BYTE, 1),
            (RED | RG | RGBA, UNSIGNED_SHORT) => (RGBA, UNSIGNED_SHORT, 2),
            (RED | RG | RGBA, HALF_FLOAT | FLOAT) => (RGBA, FLOAT, 4),
            (RED_INTEGER | RG_INTEGER | RGBA_INTEGER, BYTE | SHORT | INT) => (RGBA_INTEGER, INT, 4),
            (RED_INTEGER | RG_INTEGER | RGBA_INTEGER, _) => (RGBA_INTEGER, UNSIGNED_INT, 4),
            _ => return None,
        };
        Some(Transfer { format, data_type, channels: 4, channel })
    }

    /// Returns true for texels that are depths.
    pub fn is_depth(self) -> bool {
        self.format == DEPTH_COMPONENT
    }
}

/// The format of an object's texels.
#[derive(Debug, Clone, Copy)]
pub struct Texels {
    /// OpenGL's internal format, with the size of its channels.
    pub internal: u32,
    /// The image's format that is reported to the application.
    pub image: cl_image_format,
    /// The format in which the image's texels are stored. It differs from `image` only for depths beside a stencil, which are
    /// stored without the stencil.
    pub stored: cl_image_format,
    pub transfer: Transfer,
}

/// A type of channel: OpenCL's name, OpenGL's name, its bytes, and true if OpenGL treats the channel as an integer.
type Channel = (cl_uint, u32, usize, bool);

const UNORM8: Channel = (CL_UNORM_INT8, UNSIGNED_BYTE, 1, false);
const UNORM16: Channel = (CL_UNORM_INT16, UNSIGNED_SHORT, 2, false);
const SNORM8: Channel = (CL_SNORM_INT8, BYTE, 1, false);
const SNORM16: Channel = (CL_SNORM_INT16, SHORT, 2, false);
const HALF: Channel = (CL_HALF_FLOAT, HALF_FLOAT, 2, false);
const SINGLE: Channel = (CL_FLOAT, FLOAT, 4, false);
const SIGNED8: Channel = (CL_SIGNED_INT8, BYTE, 1, true);
const SIGNED16: Channel = (CL_SIGNED_INT16, SHORT, 2, true);
const SIGNED32: Channel = (CL_SIGNED_INT32, INT, 4, true);
const UNSIGNED8: Channel = (CL_UNSIGNED_INT8, UNSIGNED_BYTE, 1, true);
const UNSIGNED16: Channel = (CL_UNSIGNED_INT16, UNSIGNED_SHORT, 2, true);
const UNSIGNED32: Channel = (CL_UNSIGNED_INT32, UNSIGNED_INT, 4, true);

/// OpenGL's sized internal formats, with the order and type of channels of each.
const FORMATS: [(u32, cl_uint, Channel); 42] = [
    (RGBA8, CL_RGBA, UNORM8),
    (SRGB8_ALPHA8, CL_sRGBA, UNORM8),
    (BGRA, CL_BGRA, UNORM8),
    (RGBA8I, CL_RGBA, SIGNED8),
    (RGBA16I, CL_RGBA, SIGNED16),
    (RGBA32I, CL_RGBA, SIGNED32),
    (RGBA8UI, CL_RGBA, UNSIGNED8),
    (RGBA16UI, CL_RGBA, UNSIGNED16),
    (RGBA32UI, CL_RGBA, UNSIGNED32),
    (RGBA8_SNORM, CL_RGBA, SNORM8),
    (RGBA16, CL_RGBA, UNORM16),
    (RGBA16_SNORM, CL_RGBA, SNORM16),
    (RGBA16F, CL_RGBA, HALF),
    (RGBA32F, CL_RGBA, SINGLE),
    (R8, CL_R, UNORM8),
    (R8_SNORM, CL_R, SNORM8),
    (R16, CL_R, UNORM16),
    (R16_SNORM, CL_R, SNORM16),
    (R16F, CL_R, HALF),
    (R32F, CL_R, SINGLE),
    (R8I, CL_R, SIGNED8),
    (R16I, CL_R, SIGNED16),
    (R32I, CL_R, SIGNED32),
    (R8UI, CL_R, UNSIGNED8),
    (R16UI, CL_R, UNSIGNED16),
    (R32UI, CL_R, UNSIGNED32),
    (RG8, CL_RG, UNORM8),
    (RG8_SNORM, CL_RG, SNORM8),
    (RG16, CL_RG, UNORM16),
    (RG16_SNORM, CL_RG, SNORM16),
    (RG16F, CL_RG, HALF),
    (RG32F, CL_RG, SINGLE),
    (RG8I, CL_RG, SIGNED8),
    (RG16I, CL_RG, SIGNED16),
    (RG32I, CL_RG, SIGNED32),
    (RG8UI, CL_RG, UNSIGNED8),
    (RG16UI, CL_RG, UNSIGNED16),
    (RG32UI, CL_RG, UNSIGNED32),
    (DEPTH_COMPONENT16, CL_DEPTH, UNORM16),
    (DEPTH_COMPONENT32F, CL_DEPTH, SINGLE),
    (DEPTH24_STENCIL8, CL_DEPTH_STENCIL, SINGLE),
    (DEPTH32F_STENCIL8, CL_DEPTH_STENCIL, SINGLE),
];

/// Returns the formats for one of OpenGL's internal formats; `None` if OpenCL has no such format.
pub fn texels_of(internal: u32) -> Option<Texels> {
    let found = FORMATS.iter().find(|(name, ..)| *name == internal)?;
    let (_, order, (image_channel_data_type, data_type, channel, is_integer)) = *found;
    let (channels, format) = match (order, is_integer) {
        (CL_R, false) => (1, RED),
        (CL_R, true) => (1, RED_INTEGER),
        (CL_RG, false) => (2, RG),
        (CL_RG, true) => (2, RG_INTEGER),
        (CL_BGRA, _) => (4, BGRA),
        (CL_DEPTH | CL_DEPTH_STENCIL, _) => (1, DEPTH_COMPONENT),
        (_, false) => (4, RGBA),
        (_, true) => (4, RGBA_INTEGER),
    };
    let transfer = Transfer { format, data_type, channels, channel };
    let image = cl_image_format { image_channel_order: order, image_channel_data_type };
    if order != CL_DEPTH_STENCIL {
        return Some(Texels { internal, image, stored: image, transfer });
    }
    let image_channel_data_type = match internal {
        DEPTH24_STENCIL8 => CL_UNORM_INT24,
        _ => CL_FLOAT,
    };
    let stored = cl_image_format { image_channel_order: CL_DEPTH, ..image };
    let image = cl_image_format { image_channel_data_type, ..image };
    Some(Texels { internal, image, stored, transfer })
}

/// The sizes in bits of an object's channels, as OpenGL reports them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    pub red: i32,
    pub alpha: i32,
    pub depth: i32,
    /// True if colours, or depths, are floats.
    pub is_float: bool,
}

/// Returns the sized internal format. If the application gave a format without size, the sizes of the channels that OpenGL
/// allocated decide.
pub fn sized(internal: u32, sizes: Sizes) -> u32 {
    // OpenGL 1.0 also allows the number of channels as an internal format.
    match (internal, sizes) {
        (RGBA | 4, Sizes { red: 8, alpha: 8, .. }) => RGBA8,
        (RGBA | 4, Sizes { red: 16, alpha: 16, is_float: false, .. }) => RGBA16,
        (RGBA, Sizes { red: 16, alpha: 16, is_float: true, .. }) => RGBA16F,
        (RGBA, Sizes { red: 32, alpha: 32, is_float: true, .. }) => RGBA32F,
        (RED, Sizes { red: 8, .. }) => R8,
        (RED, Sizes { red: 16, is_float: false, .. }) => R16,
        (RED, Sizes { red: 16, is_float: true, .. }) => R16F,
        (RED, Sizes { red: 32, is_float: true, .. }) => R32F,
        (RG, Sizes { red: 8, .. }) => RG8,
        (RG, Sizes { red: 16, is_float: false, .. }) => RG16,
        (RG, Sizes { red: 16, is_float: true, .. }) => RG16F,
        (RG, Sizes { red: 32, is_float: true, .. }) => RG32F,
        (DEPTH_COMPONENT, Sizes { depth: 16, is_float: false, .. }) => DEPTH_COMPONENT16,
        (DEPTH_COMPONENT, Sizes { depth: 32, is_float: true, .. }) => DEPTH_COMPONENT32F,
        (DEPTH_STENCIL, Sizes { depth: 24, .. }) => DEPTH24_STENCIL8,
        (DEPTH_STENCIL, Sizes { depth: 32, is_float: true, .. }) => DEPTH32F_STENCIL8,
        _ => internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_have_the_bytes_of_opencls_texels() {
        let texels = texels_of(RG16I).unwrap();
        assert_eq!((texels.transfer.format, texels.transfer.data_type), (RG_INTEGER, SHORT));
        assert_eq!(texels.transfer.texel(), 4);
        assert_eq!(texels_of(RGBA32F).unwrap().transfer.texel(), 16);
        assert!(texels_of(0x8051).is_none(), "GL_RGB8 has no format");
    }

    #[test]
    fn depths_beside_a_stencil_are_stored_alone() {
        let texels = texels_of(DEPTH24_STENCIL8).unwrap();
        assert_eq!(texels.image.image_channel_order, CL_DEPTH_STENCIL);
        assert_eq!(texels.image.image_channel_data_type, CL_UNORM_INT24);
        assert_eq!(texels.stored.image_channel_order, CL_DEPTH);
        assert_eq!(texels.stored.image_channel_data_type, CL_FLOAT);
    }

    #[test]
    fn formats_without_a_size_are_those_that_were_allocated() {
        let sizes = Sizes { red: 8, alpha: 8, ..Sizes::default() };
        assert_eq!(sized(RGBA, sizes), RGBA8);
        assert_eq!(sized(RGBA, Sizes { alpha: 1, ..sizes }), RGBA);
        let halves = Sizes { red: 16, alpha: 16, is_float: true, ..sizes };
        assert_eq!(sized(RGBA, halves), RGBA16F);
        assert_eq!(sized(R32F, sizes), R32F);
    }

    #[test]
    fn opengl_es_reads_four_channels() {
        let wide = texels_of(RG16I).unwrap().transfer.in_es().unwrap();
        assert_eq!((wide.format, wide.data_type, wide.texel()), (RGBA_INTEGER, INT, 16));
        assert!(texels_of(DEPTH_COMPONENT16).unwrap().transfer.in_es().is_none());
        assert!(texels_of(RGBA8_SNORM).unwrap().transfer.in_es().is_none());
    }
}
