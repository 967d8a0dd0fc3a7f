//! Source locations of instructions: spans become places in the text, if the program asks for them.

use super::function::Lowering;
use super::{Context, Origin};
use crate::ir::{Function, Loc, Location, Locations};
use crate::source::Span;

impl Context<'_> {
    /// Returns true if instructions keep their places.
    pub(super) fn is_located(&self) -> bool {
        self.sources.is_some() || self.is_located
    }

    /// Returns the location of a span in a function's text. All spans of a library function have one location.
    fn locate(&mut self, origin: Origin, span: Span, function: &str) -> Loc {
        let place = match (origin, self.sources) {
            (Origin::User, Some(sources)) => sources.location(span).map(|place| {
                let text = sources.unmarked_text(span);
                (place.name, place.line, place.column, text)
            }),
            _ => None,
        };
        let locations = &mut self.out.locations;
        let (name, line, column, text) =
            place.unwrap_or_else(|| (Locations::BUILT_IN.into(), 0, 0, None));
        let (file, function) = (locations.file(&name, text), locations.function(function));
        locations.intern(Location { file, line, column, function, inlined_at: Loc::NONE })
    }

    /// Sets the location of a function's first instructions to that of a span.
    pub(super) fn begin_locations(
        &mut self,
        function: &mut Function,
        origin: Origin,
        span: Span,
        name: &str,
    ) {
        if self.is_located() {
            function.location = self.locate(origin, span, name);
            function.is_located = true;
        }
    }
}

impl Lowering<'_, '_> {
    /// Sets the location of new instructions to that of a span. Returns the previous one, for [`Self::stand_back`].
    pub(super) fn enter(&mut self, span: Span) -> Loc {
        let outer = self.b.func.location;
        if self.b.func.is_located && self.origin == Origin::User && !span.is_builtin() {
            self.b.func.location = self.context.locate(self.origin, span, &self.source.name);
        }
        outer
    }

    /// Sets the location of new instructions to `outer`, which [`Self::enter`] returned.
    pub(super) fn stand_back(&mut self, outer: Loc) {
        self.b.func.location = outer;
    }
}
