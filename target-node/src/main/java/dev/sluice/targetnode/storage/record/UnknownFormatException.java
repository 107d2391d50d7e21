package dev.sluice.targetnode.storage.record;

import java.io.IOException;

/// Written by another Sluice than this one: whole, but not to be read by guessing.
public final class UnknownFormatException extends IOException {
    public UnknownFormatException(String what, int version, int newestKnown) {
        super("%s has format %d, and this Sluice reads format %d: start the one that wrote it"
                .formatted(what, version, newestKnown));
    }
}
