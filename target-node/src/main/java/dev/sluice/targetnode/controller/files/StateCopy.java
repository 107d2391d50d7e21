package dev.sluice.targetnode.controller.files;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.StateCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/// A copy of the cluster's state, as a drive has it.
///
/// Format: a line `sluice-state 8 <CRC32C of the rest, 8 hex digits>`; a line with the boot number of the controller,
/// the number of the save and the ids of the drives that keep this state; then the state as [StateCodec] writes it: a
/// line of JSON, and the rows of slots.
///
/// @param save of this boot; each attempt of a save has the next number
/// @param names the ids of the drives that keep this state
record StateCopy(int boot, long save, Set<String> names, ClusterState state) {
    private static final String MAGIC = "sluice-state ";
    private static final char FORMAT = '8';
    private static final int HEADER = MAGIC.length() + 2 + 8 + 1;

    static final Comparator<StateCopy> ORDER =
            Comparator.comparingInt(StateCopy::boot).thenComparingLong(StateCopy::save);

    static byte[] head(int boot, long save, Set<String> names, byte[] state) {
        var second = "%d %d %s\n".formatted(boot, save, String.join(" ", new TreeSet<>(names)));
        var numbered = second.getBytes(StandardCharsets.UTF_8);
        var crc = new CRC32C();
        crc.update(numbered);
        crc.update(state);
        return "%s%c %08x\n%s"
                .formatted(MAGIC, FORMAT, (int) crc.getValue(), second)
                .getBytes(StandardCharsets.UTF_8);
    }

    static StateCopy of(byte[] bytes) throws IOException {
        if (bytes.length < HEADER) {
            throw new IOException("too short");
        }
        var head = new String(bytes, 0, HEADER, StandardCharsets.US_ASCII);
        if (!head.startsWith(MAGIC)) {
            throw new IOException("not a state file");
        }
        if (head.charAt(MAGIC.length()) != FORMAT || head.charAt(MAGIC.length() + 1) != ' ') {
            throw new IOException(
                    "made by another version of Sluice; this one reads state files of version %c".formatted(FORMAT));
        }
        var crc = new CRC32C();
        crc.update(bytes, HEADER, bytes.length - HEADER);
        if (!head.substring(MAGIC.length() + 2).equals("%08x\n".formatted((int) crc.getValue()))) {
            throw new IOException("checksum does not match");
        }
        return numbered(bytes);
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
