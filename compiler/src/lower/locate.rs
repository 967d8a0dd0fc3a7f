//! Source locations of what is lowered: spans become places in the text, where the program asks for them.

use super::function::Lowering;
use super::{Context, Origin};
use crate::ir::{Function, Loc, Location, Locations};
use crate::source::Span;

impl Context<'_> {
    /// Returns true if instructions keep their places.
    pub(super) fn is_located(&self) -> bool {
        self.sources.is_some() || self.is_located
    }

    /// Returns the location of a span in a function's text. All of a library function is in one place.
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

    /// Gives a function's instructions the location of a span, until they have others.
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
    /// Gives new instructions the location of a span. Returns the one before, for [`Self::stand_back`].
    pub(super) fn enter(&mut self, span: Span) -> Loc {
        let outer = self.b.func.location;
        if self.b.func.is_located && self.origin == Origin::User && !span.is_builtin() {
            self.b.func.location = self.context.locate(self.origin, span, &self.source.name);
        }
        outer
    }

    /// Gives new instructions the location from before [`Self::enter`].
    pub(super) fn stand_back(&mut self, outer: Loc) {
        self.b.func.location = outer;
    }
}
