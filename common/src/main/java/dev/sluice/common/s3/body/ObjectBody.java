package dev.sluice.common.s3.body;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import java.util.Map;

/// The bytes of an object as a client sends them, out of their framing. They are handed on before all of what
/// was promised about them can be checked: only when `next` has given an empty buffer did every check hold, and
/// a writer that meets an exception before that must throw away what it has. An exception is thrown again at
/// every later `next`.
public sealed interface ObjectBody extends ByteSource permits PlainBody, ChunkedBody {
    /// How many bytes there will be; -1 when the client did not say. Fewer or more end in an exception.
    long decodedLength();

    /// The checksums in base64 that came behind the bytes; complete once `next` has given an empty buffer.
    Map<ChecksumAlgorithm, String> trailers();
}
