package dev.sluice.common.cluster;

import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.RowCodec;
import dev.sluice.common.cluster.slots.SlotRows;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.jobs.Job;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The form of states and changes in files and between nodes: one line of JSON for what is small, then the rows of
/// slots as [RowCodec] writes them.
public final class StateCodec {
    private static final char FOUNDING = 'F';
    private static final char ADOPTED = 'A';
    private static final char CHANGE = 'D';
    private static final char CHANGES = 'T';

    private StateCodec() {}

    public static byte[] encode(ClusterState state) {
        var rows = new TreeMap<Integer, SlotRows>();
        state.replication().tables().forEach((group, table) -> rows.put(group, table.all()));
        return joined(ClusterJson.write(state), RowCodec.encode(rows));
    }

    /// @throws IOException when this is not a whole state
    public static ClusterState decodeState(byte[] bytes) throws IOException {
        int end = endOfLine(bytes);
        var small = ClusterJson.read(Arrays.copyOf(bytes, end), ClusterState.class);
        var rows = RowCodec.decode(bytes, end + 1);
        var tables = new HashMap<Integer, SlotTable>();
        for (var group : small.replication().groups().values()) {
            var table = rows.get(group.id());
            if (table == null || table.size() != group.slots()) {
                throw new IOException("the table of group " + group.id() + " is not whole");
            }
            tables.put(group.id(), SlotTable.of(table));
        }
        return small.withReplication(small.replication().withTables(tables));
    }

    public static byte[] encode(Change change) {
        return joined(
                ClusterJson.write(new Small(
                        change.ifVersion(),
                        change.map(),
                        change.buckets(),
                        change.small(),
                        change.jobs().isEmpty() ? Optional.empty() : Optional.of(change.jobs()))),
                RowCodec.encode(change.rows()));
    }

    /// @throws IOException when this is not a whole change
    public static Change decodeChange(byte[] bytes) throws IOException {
        return decodeChange(bytes, 0).orElseThrow();
    }

    /// Empty when the change was planned from an earlier version than this one: its rows are not looked at then.
    ///
    /// @throws IOException when this is not a whole change
    public static Optional<Change> decodeChange(byte[] bytes, long version) throws IOException {
        int end = endOfLine(bytes);
        var small = ClusterJson.read(Arrays.copyOf(bytes, end), Small.class);
        return small.ifVersion() < version
                ? Optional.empty()
                : Optional.of(new Change(
                        small.ifVersion(),
                        small.map(),
                        small.buckets(),
                        small.replication(),
                        RowCodec.decode(bytes, end + 1),
                        small.jobs().orElseGet(TreeMap::new)));
    }

    /// Format: one byte for the kind, then the entry: a state or a change as above, several with the length of each
    /// in 4 bytes before it, or JSON.
    public static byte[] encode(LogEntry entry) {
        return switch (entry) {
            case FoundCluster founding -> kind(FOUNDING, ClusterJson.write(founding));
            case AdoptState(var state) -> kind(ADOPTED, encode(state));
            case Change change -> kind(CHANGE, encode(change));
            case Changes(var changes) -> kind(CHANGES, encode(changes));
        };
    }

    private static byte[] encode(List<Change> changes) {
        var joined = new ByteArrayOutputStream();
        for (var change : changes) {
            var bytes = encode(change);
            joined.writeBytes(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            joined.writeBytes(bytes);
        }
        return joined.toByteArray();
    }

    private static Changes decodeChanges(byte[] bytes) throws IOException {
        var in = ByteBuffer.wrap(bytes);
        var changes = new ArrayList<Change>();
        while (in.hasRemaining()) {
            int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw new IOException("an entry broke off");
            }
            var part = new byte[length];
            in.get(part);
            changes.add(decodeChange(part));
        }
        return new Changes(changes);
    }

    private static byte[] kind(char kind, byte[] rest) {
        var bytes = new byte[1 + rest.length];
        bytes[0] = (byte) kind;
        System.arraycopy(rest, 0, bytes, 1, rest.length);
        return bytes;
    }

    /// @throws IOException when this is not a whole entry, or one of a newer build
    public static LogEntry decodeEntry(byte[] bytes) throws IOException {
        var rest = Arrays.copyOfRange(bytes, Math.min(1, bytes.length), bytes.length);
        return switch (bytes.length == 0 ? ' ' : (char) bytes[0]) {
            case FOUNDING -> ClusterJson.read(rest, FoundCluster.class);
            case ADOPTED -> new AdoptState(decodeState(rest));
            case CHANGE -> decodeChange(rest);
            case CHANGES -> decodeChanges(rest);
            default -> throw new IOException("an entry of an unknown kind");
        };
    }

    /// A change without rows.
    ///
    /// @param jobs missing where none changed
    private record Small(
            long ifVersion,
            Optional<ClusterMap> map,
            Optional<BucketChanges> buckets,
            Optional<Replication> replication,
            Optional<SortedMap<String, Optional<Job>>> jobs) {}

    private static byte[] joined(byte[] json, byte[] rows) {
        var joined = new ByteArrayOutputStream(json.length + 1 + rows.length);
        joined.writeBytes(json); // has no line break: these are escaped in JSON's texts
        joined.write('\n');
        joined.writeBytes(rows);
        return joined.toByteArray();
    }

    private static int endOfLine(byte[] bytes) throws IOException {
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                return at;
            }
        }
        throw new IOException("it has no rows after its JSON");
    }
}
