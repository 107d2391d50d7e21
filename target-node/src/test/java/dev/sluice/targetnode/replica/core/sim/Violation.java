package dev.sluice.targetnode.replica.core.sim;

import java.util.Locale;

/// A promise of the protocol was broken.
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("AnnotateFormatMethod")
    Violation(String format, Object... values) {
        super(String.format(Locale.ROOT, format, values));
    }
}
