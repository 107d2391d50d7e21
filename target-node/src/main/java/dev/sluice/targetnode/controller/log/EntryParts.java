package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.cluster.StateCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Entries as the log takes them: none is larger than a call between nodes may be. A larger one is several parts, and
/// has its effect with the last of them; what comes between its parts undoes those before.
///
/// A part: format (6), the number of the proposal (8 bytes), of the part and of all parts (4 each), bytes.
final class EntryParts {
    private static final byte FORMAT = 6;
    private static final int HEAD = 1 + 8 + 4 + 4;

    private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();
    private long proposal;
    private int next;

    /// @param proposal another number for each
    static List<byte[]> of(LogEntry entry, long proposal, int most) {
        var bytes = StateCodec.encode(entry);
        int each = most - HEAD;
        int count = Math.max(1, (bytes.length + each - 1) / each);
        var parts = new ArrayList<byte[]>(count);
        for (int part = 0; part < count; part++) {
            int from = part * each;
            int length = Math.min(each, bytes.length - from);
            parts.add(ByteBuffer.allocate(HEAD + length)
                    .put(FORMAT)
                    .putLong(proposal)
                    .putInt(part)
                    .putInt(count)
                    .put(bytes, from, length)
                    .array());
        }
        return parts;
    }

    /// The entry, with its last part.
    ///
    /// @throws IOException when it is damaged, or a newer build's
    Optional<LogEntry> add(byte[] part) throws IOException {
        var in = ByteBuffer.wrap(part);
        if (part.length < HEAD || in.get() != FORMAT) {
            throw new IOException("an entry of the log in an unknown form");
        }
        long of = in.getLong();
        int number = in.getInt();
        int count = in.getInt();
        if (number == 0) {
            gathered.reset();
            proposal = of;
            next = 0;
        }
        if (of != proposal || number != next) {
            gathered.reset();
            next = -1;
            return Optional.empty();
        }
        gathered.write(part, HEAD, part.length - HEAD);
        next++;
        if (next < count) {
            return Optional.empty();
        }
        var whole = gathered.toByteArray();
        gathered.reset();
        next = -1;
        return Optional.of(StateCodec.decodeEntry(whole));
    }

    // ---- part of a snapshot: the last part may come after it

    byte[] encoded() {
        return ByteBuffer.allocate(8 + 4 + gathered.size())
                .putLong(proposal)
                .putInt(next)
                .put(gathered.toByteArray())
                .array();
    }

    static EntryParts decode(byte[] bytes) {
        var parts = new EntryParts();
        var in = ByteBuffer.wrap(bytes);
        parts.proposal = in.getLong();
        parts.next = in.getInt();
        parts.gathered.write(bytes, in.position(), in.remaining());
        return parts;
    }
}
