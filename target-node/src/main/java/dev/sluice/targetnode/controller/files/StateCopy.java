package dev.sluice.targetnode.controller.files;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/// A copy of the cluster's state, as a drive has it.
///
/// Format: a line `sluice-state 3 <CRC32C of the rest, 8 hex digits>`; a line with the boot number of the controller,
/// the number of the save and the ids of the drives that keep this state; then the state as [StateCodec] writes it: a
/// line of JSON, and the rows of slots. In format 2 the second line is missing.
///
/// @param save of this boot; each attempt of a save has the next number
/// @param names the ids of the drives that keep this state; empty in format 2, which means all
record StateCopy(int boot, long save, Set<String> names, ClusterState state) {
    private static final String MAGIC = "sluice-state ";
    private static final int HEADER = MAGIC.length() + 2 + 8 + 1;

    /// Format 2 has no numbers: there the newest is the one with the greatest version.
    static final Comparator<StateCopy> ORDER = Comparator.comparingInt(StateCopy::boot)
            .thenComparingLong(StateCopy::save)
            .thenComparingLong(copy -> copy.state().version());

    static byte[] head(int boot, long save, Set<String> names, byte[] state) {
        var second = "%d %d %s\n".formatted(boot, save, String.join(" ", new TreeSet<>(names)));
        var numbered = second.getBytes(StandardCharsets.UTF_8);
        var crc = new CRC32C();
        crc.update(numbered);
        crc.update(state);
        return "%s3 %08x\n%s".formatted(MAGIC, (int) crc.getValue(), second).getBytes(StandardCharsets.UTF_8);
    }

    /// @param self the controller, whose boot number a state of format 2 has
    static StateCopy of(byte[] bytes, NodeId self) throws IOException {
        if (bytes.length < HEADER) {
            throw new IOException("too short");
        }
        var head = new String(bytes, 0, HEADER, StandardCharsets.US_ASCII);
        if (!head.startsWith(MAGIC)) {
            throw new IOException("not a state file");
        }
        int format = head.charAt(MAGIC.length()) - '0';
        if (head.charAt(MAGIC.length() + 1) != ' ' || format < 2 || format > 3) {
            throw new IOException("made by another version of Sluice; this one reads state files of versions 2 and 3");
        }
        var crc = new CRC32C();
        crc.update(bytes, HEADER, bytes.length - HEADER);
        if (!head.substring(MAGIC.length() + 2).equals("%08x\n".formatted((int) crc.getValue()))) {
            throw new IOException("checksum does not match");
        }
        return format == 2 ? unnumbered(bytes, self) : numbered(bytes);
    }

    private static StateCopy unnumbered(byte[] bytes, NodeId self) throws IOException {
        var state = state(bytes, HEADER);
        return new StateCopy(state.replication().controllers().getOrDefault(self, 0), 0, Set.of(), state);
    }

    private static StateCopy numbered(byte[] bytes) throws IOException {
        int end = HEADER;
        while (bytes[end] != '\n') {
            end++;
        }
        var words = new String(bytes, HEADER, end - HEADER, StandardCharsets.UTF_8).split(" ");
        return new StateCopy(
                Integer.parseInt(words[0]),
                Long.parseLong(words[1]),
                Set.copyOf(Arrays.asList(words).subList(2, words.length)),
                state(bytes, end + 1));
    }

    private static ClusterState state(byte[] bytes, int from) throws IOException {
        return StateCodec.decodeState(Arrays.copyOfRange(bytes, from, bytes.length));
    }
}
