package dev.sluice.backend;

import dev.sluice.common.s3.ByteRange;
import java.util.Optional;

/// What a GET asks for: all or a range, of any version or one.
public record BackendRead(Optional<ByteRange> range, Optional<String> ifVersion) {
    public static final BackendRead WHOLE = new BackendRead(Optional.empty(), Optional.empty());

    public static BackendRead of(ByteRange range) {
        return WHOLE.range(range);
    }

    public BackendRead range(ByteRange wanted) {
        return new BackendRead(Optional.of(wanted), ifVersion);
    }

    /// @param version a [BackendObject#version]
    public BackendRead ifVersion(String version) {
        return new BackendRead(range, Optional.of(version));
    }
}
