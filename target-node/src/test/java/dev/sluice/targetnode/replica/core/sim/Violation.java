package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.testing.PromiseBroken;
import java.util.Locale;

/// A promise of the protocol was broken.
final class Violation extends PromiseBroken {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("AnnotateFormatMethod")
    Violation(String format, Object... values) {
        super(String.format(Locale.ROOT, format, values));
    }
}
