//! The rows of functions on images (OpenCL C 6.15.15); `images` lowers them.

use super::row::{Check, LowerCall, Names, Row};
use super::signature::ImageUse::{Query, Read, Sample, Write};
use super::signature::TypePattern::{self, DepthImage, Image, Sampler, Void, S, V};
use super::signature::{Elements, Scalar as Name, Sig, SCALAR};
use crate::ir::TexelComponent;
use crate::kernel::image_word;
use crate::kernel::ImageDim::{D1Array, D1Buffer, D2Array, D1, D2, D3};

const INT: TypePattern = S(Name::Int);
const INT2: TypePattern = V(Name::Int, 2);
const INT4: TypePattern = V(Name::Int, 4);
const FLOAT: TypePattern = S(Name::Float);
const FLOAT2: TypePattern = V(Name::Float, 2);
const FLOAT4: TypePattern = V(Name::Float, 4);
const UINT4: TypePattern = V(Name::UInt, 4);
const HALF4: TypePattern = V(Name::Half, 4);
const SIZE: TypePattern = S(Name::ULong);

/// Returns patterns without a generic type: `result: parameters`.
macro_rules! plain {
    ($($ret:expr => $($param:expr),+;)*) => { &[$(Sig::plain($ret, &[$($param),+])),*] };
}

/// Returns patterns with half, which the device may lack.
macro_rules! of_half {
    ($($ret:expr => $($param:expr),+;)*) => {
        &[$(Sig::new(Elements::HALF, $ret, &[$($param),+]).lanes(SCALAR)),*]
    };
}

/// Returns the patterns of the functions that read texels of a type, and additional patterns, `$more`.
macro_rules! reads {
    ($patterns:ident, $texel:expr; $($more:tt)*) => {
        $patterns! {
            $texel => Image(D1, Sample), Sampler, INT;
            $texel => Image(D1, Sample), Sampler, FLOAT;
            $texel => Image(D1Array, Sample), Sampler, INT2;
            $texel => Image(D1Array, Sample), Sampler, FLOAT2;
            $texel => Image(D2, Sample), Sampler, INT2;
            $texel => Image(D2, Sample), Sampler, FLOAT2;
            $texel => Image(D2Array, Sample), Sampler, INT4;
            $texel => Image(D2Array, Sample), Sampler, FLOAT4;
            $texel => Image(D3, Sample), Sampler, INT4;
            $texel => Image(D3, Sample), Sampler, FLOAT4;
            $texel => Image(D1, Sample), Sampler, FLOAT, FLOAT;
            $texel => Image(D1, Sample), Sampler, FLOAT, FLOAT, FLOAT;
            $texel => Image(D1Array, Sample), Sampler, FLOAT2, FLOAT;
            $texel => Image(D1Array, Sample), Sampler, FLOAT2, FLOAT, FLOAT;
            $texel => Image(D2, Sample), Sampler, FLOAT2, FLOAT;
            $texel => Image(D2, Sample), Sampler, FLOAT2, FLOAT2, FLOAT2;
            $texel => Image(D2Array, Sample), Sampler, FLOAT4, FLOAT;
            $texel => Image(D2Array, Sample), Sampler, FLOAT4, FLOAT2, FLOAT2;
            $texel => Image(D3, Sample), Sampler, FLOAT4, FLOAT;
            $texel => Image(D3, Sample), Sampler, FLOAT4, FLOAT4, FLOAT4;
            $texel => Image(D1, Read), INT;
            $texel => Image(D1Buffer, Read), INT;
            $texel => Image(D1Array, Read), INT2;
            $texel => Image(D2, Read), INT2;
            $texel => Image(D2Array, Read), INT4;
            $texel => Image(D3, Read), INT4;
            $($more)*
        }
    };
}

/// Returns the patterns of the functions that write texels of a type, and additional patterns, `$more`.
macro_rules! writes {
    ($patterns:ident, $texel:expr; $($more:tt)*) => {
        $patterns! {
            Void => Image(D1, Write), INT, $texel;
            Void => Image(D1Buffer, Write), INT, $texel;
            Void => Image(D1Array, Write), INT2, $texel;
            Void => Image(D2, Write), INT2, $texel;
            Void => Image(D2Array, Write), INT4, $texel;
            Void => Image(D3, Write), INT4, $texel;
            Void => Image(D1, Write), INT, INT, $texel;
            Void => Image(D1Array, Write), INT2, INT, $texel;
            Void => Image(D2, Write), INT2, INT, $texel;
            Void => Image(D2Array, Write), INT4, INT, $texel;
            Void => Image(D3, Write), INT4, INT, $texel;
            $($more)*
        }
    };
}

const READ_F: &[Sig] = reads! { plain, FLOAT4;
    FLOAT => DepthImage(D2, Sample), Sampler, INT2;
    FLOAT => DepthImage(D2, Sample), Sampler, FLOAT2;
    FLOAT => DepthImage(D2Array, Sample), Sampler, INT4;
    FLOAT => DepthImage(D2Array, Sample), Sampler, FLOAT4;
    FLOAT => DepthImage(D2, Sample), Sampler, FLOAT2, FLOAT;
    FLOAT => DepthImage(D2, Sample), Sampler, FLOAT2, FLOAT2, FLOAT2;
    FLOAT => DepthImage(D2Array, Sample), Sampler, FLOAT4, FLOAT;
    FLOAT => DepthImage(D2Array, Sample), Sampler, FLOAT4, FLOAT2, FLOAT2;
    FLOAT => DepthImage(D2, Read), INT2;
    FLOAT => DepthImage(D2Array, Read), INT4;
};
const READ_I: &[Sig] = reads! { plain, INT4; };
const READ_UI: &[Sig] = reads! { plain, UINT4; };
const READ_H: &[Sig] = reads! { of_half, HALF4; };

const WRITE_F: &[Sig] = writes! { plain, FLOAT4;
    Void => DepthImage(D2, Write), INT2, FLOAT;
    Void => DepthImage(D2Array, Write), INT4, FLOAT;
    Void => DepthImage(D2, Write), INT2, INT, FLOAT;
    Void => DepthImage(D2Array, Write), INT4, INT, FLOAT;
};
const WRITE_I: &[Sig] = writes! { plain, INT4; };
const WRITE_UI: &[Sig] = writes! { plain, UINT4; };
const WRITE_H: &[Sig] = writes! { of_half, HALF4; };

const OF_ALL: &[Sig] = plain! {
    INT => Image(D1, Query);
    INT => Image(D1Buffer, Query);
    INT => Image(D1Array, Query);
    INT => Image(D2, Query);
    INT => Image(D2Array, Query);
    INT => Image(D3, Query);
    INT => DepthImage(D2, Query);
    INT => DepthImage(D2Array, Query);
};
const LEVELS: &[Sig] = plain! {
    INT => Image(D1, Sample);
    INT => Image(D1Array, Sample);
    INT => Image(D2, Sample);
    INT => Image(D2Array, Sample);
    INT => Image(D3, Sample);
    INT => DepthImage(D2, Sample);
    INT => DepthImage(D2Array, Sample);
};
const HEIGHT: &[Sig] = plain! {
    INT => Image(D2, Query);
    INT => Image(D2Array, Query);
    INT => Image(D3, Query);
    INT => DepthImage(D2, Query);
    INT => DepthImage(D2Array, Query);
};
const DEPTH: &[Sig] = plain! { INT => Image(D3, Query); };
const DIM: &[Sig] = plain! {
    INT2 => Image(D2, Query);
    INT2 => Image(D2Array, Query);
    INT4 => Image(D3, Query);
    INT2 => DepthImage(D2, Query);
    INT2 => DepthImage(D2Array, Query);
};
const LAYERS: &[Sig] = plain! {
    SIZE => Image(D1Array, Query);
    SIZE => Image(D2Array, Query);
    SIZE => DepthImage(D2Array, Query);
};

pub(super) const ROWS: &[Row] = &[
    image(&["read_imagef"], READ_F, |l, c| l.read_image(c, TexelComponent::Float)),
    image(&["read_imagei"], READ_I, |l, c| l.read_image(c, TexelComponent::Int)),
    image(&["read_imageui"], READ_UI, |l, c| l.read_image(c, TexelComponent::Uint)),
    image(&["read_imageh"], READ_H, |l, c| l.read_image(c, TexelComponent::Float)),
    image(&["write_imagef"], WRITE_F, |l, c| l.write_image(c, TexelComponent::Float)),
    image(&["write_imagei"], WRITE_I, |l, c| l.write_image(c, TexelComponent::Int)),
    image(&["write_imageui"], WRITE_UI, |l, c| l.write_image(c, TexelComponent::Uint)),
    image(&["write_imageh"], WRITE_H, |l, c| l.write_image(c, TexelComponent::Float)),
    image(&["get_image_width"], OF_ALL, |l, c| l.image_extent(c, 0)),
    image(&["get_image_height"], HEIGHT, |l, c| l.image_extent(c, 1)),
    image(&["get_image_depth"], DEPTH, |l, c| l.image_extent(c, 2)),
    image(&["get_image_dim"], DIM, |l, c| l.image_dim(c)),
    image(&["get_image_array_size"], LAYERS, |l, c| l.image_layers(c)),
    image(&["get_image_num_mip_levels"], LEVELS, |l, c| l.image_levels(c)),
    image(&["get_image_channel_data_type"], OF_ALL, |l, c| {
        l.image_field(c, image_word::TYPE_SHIFT, image_word::CL_SNORM_INT8)
    }),
    image(&["get_image_channel_order"], OF_ALL, |l, c| {
        l.image_field(c, image_word::ORDER_SHIFT, image_word::CL_R)
    }),
];

const fn image(names: Names, sigs: &'static [Sig], lower: LowerCall) -> Row {
    Row::call(names, sigs, lower).check(Check::Images)
}
