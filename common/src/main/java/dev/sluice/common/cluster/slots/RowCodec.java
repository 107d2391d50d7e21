package dev.sluice.common.cluster.slots;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Rows of slots in bytes. All numbers are unsigned LEB128.
///
/// The number of drives, each as length and UTF-8; the number of groups; each as id × 2 + whether its members have
/// positions, number of rows, rows. A row: slot
/// less the one before (−1 at first), epoch, number of members × 2 + opened, number of drives in the fence list, epoch
/// − primary-since, epoch − drive-since; each member as drive × 2 + in-sync, incarnation, epoch − since, and in
/// groups with positions the position; each drive of the fence list. A drive is its place in the list of drives.
public final class RowCodec {
    private static final int MOST_MEMBERS = 1 << 10;

    private RowCodec() {}

    public static byte[] encode(SortedMap<Integer, SlotRows> rows) {
        var drives = new LinkedHashMap<String, Integer>();
        var body = new Output();
        body.number(rows.size());
        rows.forEach((group, ofGroup) -> {
            boolean positions = ofGroup.havePositions();
            body.number(group * 2L + (positions ? 1 : 0));
            body.number(ofGroup.size());
            encode(ofGroup, positions, drives, body);
        });
        var head = new Output();
        head.number(drives.size());
        for (var drive : drives.keySet()) {
            var utf8 = drive.getBytes(StandardCharsets.UTF_8);
            head.number(utf8.length);
            head.bytes(utf8, 0, utf8.length);
        }
        head.bytes(body.bytes, 0, body.length);
        return Arrays.copyOf(head.bytes, head.length);
    }

    /// Few rows of a table are different objects: each is made bytes once, and copied.
    private static void encode(SlotRows rows, boolean positions, Map<String, Integer> drives, Output body) {
        var places = new IdentityHashMap<SlotRow, Range>();
        int before = -1;
        for (int at = 0; at < rows.size(); at++) {
            body.number((long) rows.slot(at) - before);
            before = rows.slot(at);
            var row = rows.row(at);
            int from = body.length;
            var known = places.get(row);
            if (known == null) {
                row(body, row, positions, drives);
                places.put(row, new Range(from, body.length));
            } else {
                body.bytes(body.bytes, known.from, known.to - known.from);
            }
        }
    }

    private static void row(Output to, SlotRow row, boolean positions, Map<String, Integer> drives) {
        to.number(row.epoch());
        to.number(row.members().size() * 2L + (row.opened() ? 1 : 0));
        to.number(row.fence().size());
        to.number(row.epoch() - row.primarySince());
        to.number(row.epoch() - row.driveSince());
        for (var member : row.members()) {
            to.number(place(member.drive(), drives) * 2L + (member.inSync() ? 1 : 0));
            to.number(member.incarnation());
            to.number(row.epoch() - member.since());
            if (positions) {
                to.number(member.position());
            }
        }
        for (var drive : row.fence()) {
            to.number(place(drive, drives));
        }
    }

    private static int place(String drive, Map<String, Integer> drives) {
        var known = drives.putIfAbsent(drive, drives.size());
        return known == null ? drives.size() - 1 : known;
    }

    /// @throws IOException when these bytes are not whole
    public static SortedMap<Integer, SlotRows> decode(byte[] bytes, int from) throws IOException {
        try {
            var in = ByteBuffer.wrap(bytes, from, bytes.length - from);
            var drives = drives(in);
            var interner = new Interner();
            var rows = new TreeMap<Integer, SlotRows>();
            for (int groups = size(in, in.remaining()); groups > 0; groups--) {
                long group = number(in);
                rows.put((int) (group >>> 1), rows(in, new EncodedRows(drives, (group & 1) == 1, interner)));
            }
            if (in.hasRemaining()) {
                throw new IOException("there is more after the rows");
            }
            return rows;
        } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException("the rows of slots are damaged: " + e, e);
        }
    }

    private static SlotRows rows(ByteBuffer in, EncodedRows known) throws IOException {
        int count = size(in, in.remaining());
        var slots = new int[count];
        var rows = new SlotRow[count];
        int slot = -1;
        for (int at = 0; at < count; at++) {
            slot += (int) number(in);
            slots[at] = slot;
            rows[at] = known.next(in);
        }
        return SlotRows.of(slots, rows);
    }

    private static List<String> drives(ByteBuffer in) throws IOException {
        var drives = new ArrayList<String>();
        for (int count = size(in, in.remaining()); count > 0; count--) {
            var utf8 = new byte[size(in, in.remaining())];
            in.get(utf8);
            drives.add(new String(utf8, StandardCharsets.UTF_8));
        }
        return drives;
    }

    private record Range(int from, int to) {}

    /// Rows whose bytes are equal are one object, and are read once.
    private static final class EncodedRows {
        private final List<String> drives;
        private final boolean positions;
        private final Interner interner;
        private final Map<ByteBuffer, SlotRow> rows = new HashMap<>();

        EncodedRows(List<String> drives, boolean positions, Interner interner) {
            this.drives = drives;
            this.positions = positions;
            this.interner = interner;
        }

        SlotRow next(ByteBuffer in) throws IOException {
            int from = in.position();
            number(in);
            long members = number(in) >>> 1;
            long fences = size(in, MOST_MEMBERS);
            for (long numbers = 2 + members * (positions ? 4 : 3) + fences; numbers > 0; numbers--) {
                number(in);
            }
            var encoded = in.slice(from, in.position() - from);
            var known = rows.get(encoded);
            if (known == null) {
                known = interner.row(row(encoded.duplicate(), drives, positions));
                rows.put(encoded, known);
            }
            return known;
        }
    }

    private static SlotRow row(ByteBuffer in, List<String> drives, boolean positions) throws IOException {
        long epoch = number(in);
        long flags = number(in);
        int fences = size(in, MOST_MEMBERS);
        long primarySince = epoch - number(in);
        long driveSince = epoch - number(in);
        var members = new ArrayList<Member>();
        for (long count = flags >>> 1; count > 0; count--) {
            long drive = number(in);
            int incarnation = (int) number(in);
            long since = epoch - number(in);
            int position = positions ? size(in, MOST_MEMBERS) : 0;
            members.add(new Member(drives.get((int) (drive >>> 1)), (drive & 1) == 1, incarnation, since, position));
        }
        var fence = new ArrayList<String>();
        for (int count = fences; count > 0; count--) {
            fence.add(drives.get((int) number(in)));
        }
        return new SlotRow(epoch, members, primarySince, driveSince, fence, (flags & 1) == 1);
    }

    private static int size(ByteBuffer in, int most) throws IOException {
        long size = number(in);
        if (size > most) {
            throw new IOException("the rows of slots are damaged: a size of " + size);
        }
        return (int) size;
    }

    private static long number(ByteBuffer in) throws IOException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in.get();
            number |= (long) (next & 0x7f) << shift;
            if (next >= 0 && number >= 0) {
                return number;
            }
        }
        throw new IOException("the rows of slots are damaged: a number that does not end");
    }

    private static final class Output {
        private byte[] bytes = new byte[1024];
        private int length;

        void number(long value) {
            if (value < 0) {
                throw new IllegalArgumentException("not a row of the log: " + value);
            }
            room(10);
            long left = value;
            while (left > 0x7f) {
                bytes[length++] = (byte) (left | 0x80);
                left >>>= 7;
            }
            bytes[length++] = (byte) left;
        }

        void bytes(byte[] from, int at, int count) {
            room(count);
            System.arraycopy(from, at, bytes, length, count);
            length += count;
        }

        private void room(int more) {
            if (length + more > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
            }
        }
    }
}
