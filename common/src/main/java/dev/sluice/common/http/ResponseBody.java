package dev.sluice.common.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.DoubleSupplier;

/// What follows a response's head.
public sealed interface ResponseBody {
    ResponseBody NONE = new Bytes(ByteBuffer.allocate(0));

    /// Bytes at hand; sent in one write with the head. Never modified by the engine.
    record Bytes(ByteBuffer bytes) implements ResponseBody {}

    /// A part of a file; small ones are copied, large ones go from the page cache to the socket.
    record FileRange(FileSource file, long offset, long length) implements ResponseBody {}

    /// Bytes made while they are sent, on a virtual thread of the engine's.
    ///
    /// @param length their number, or [RequestHead#UNKNOWN_LENGTH] for a chunked answer
    record Streamed(long length, Writer writer) implements ResponseBody {}

    /// Promises the length without the bytes: the answer to HEAD.
    record LengthOnly(long length) implements ResponseBody {}

    interface Writer {
        /// Writes the whole body. A failure closes the connection, so that the client cannot take a part for the whole.
        void writeTo(ByteSink sink) throws IOException;

        /// How short what it holds meanwhile is, see [FileSource#shortage].
        default double shortage() {
            return 1;
        }

        /// The same, of which is known how short what it holds is.
        default Writer holding(DoubleSupplier shortage) {
            var writer = this;
            return new Writer() {
                @Override
                public void writeTo(ByteSink sink) throws IOException {
                    writer.writeTo(sink);
                }

                @Override
                public double shortage() {
                    return shortage.getAsDouble();
                }
            };
        }
    }

    static ResponseBody text(String text) {
        return new Bytes(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }
}
