package dev.sluice.backend;

import dev.sluice.common.http.ByteSource;

/// An object, or a range of it, on its way from the cloud.
///
/// @param object of the whole object, also when a range was asked for; a range carries no checksums
/// @param offset where in the object the body begins
/// @param length of the body
/// @param body exactly `length` bytes; a connection that ends before them is an [java.io.IOException], never a
///     clean end
public record BackendStream(BackendObject object, long offset, long length, ByteSource body) implements AutoCloseable {
    public boolean whole() {
        return length == object.size();
    }

    /// Gives the connection back: for more bytes when the body was read to its end, else by breaking it off.
    @Override
    public void close() {
        body.close();
    }
}
