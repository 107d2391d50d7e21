package dev.sluice.targetnode.storage.record;

import java.io.IOException;

/// Written by a newer Sluice than this one: whole, but not to be read by guessing.
public final class UnknownFormatException extends IOException {
    public UnknownFormatException(String what, int version, int newestKnown) {
        super("%s has format %d; this Sluice knows up to %d: start a newer one".formatted(what, version, newestKnown));
    }
}
