package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/// What has left this server: no message says more. It is beside Ratis' folder, and so also says, when that
/// folder is gone, that it was there.
///
/// @param votedFor empty when it voted for nobody in this term
/// @param configured Ratis had written its configuration
/// @param segment the first index of the newest file of the log; -1 when there was none, as after a snapshot
record VoteRecord(long term, String votedFor, boolean configured, long segment) {
    private static final String HEAD = "sluice raft record 1";
    static final VoteRecord NEW = new VoteRecord(0, "", false, -1);

    VoteRecord withoutSegment() {
        return new VoteRecord(term, votedFor, configured, -1);
    }

    byte[] encoded() {
        var text = body();
        return (text + "crc32c " + checksum(text) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    static VoteRecord decode(Path file, byte[] bytes) throws IOException {
        var lines = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
        try {
            var record = new VoteRecord(
                    Long.parseLong(lines[1].substring("term ".length())),
                    lines[2].substring("voted_for ".length()),
                    Boolean.parseBoolean(lines[3].substring("configured ".length())),
                    Long.parseLong(lines[4].substring("segment ".length())));
            if (Arrays.equals(bytes, record.encoded())) {
                return record;
            }
        } catch (IndexOutOfBoundsException | NumberFormatException _) {
            // as damaged as with a wrong checksum
        }
        throw new IOException(file + " is damaged, or of another version: this server's last vote is not known");
    }

    /// Does Ratis' own file, with this term and vote, hold all that has left?
    boolean isCoveredBy(long otherTerm, String otherVote) {
        return term < otherTerm || (term == otherTerm && (votedFor.isEmpty() || votedFor.equals(otherVote)));
    }

    private String body() {
        return "%s\nterm %d\nvoted_for %s\nconfigured %s\nsegment %d\n"
                .formatted(HEAD, term, votedFor, configured, segment);
    }

    private static String checksum(String text) {
        var crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(crc.getValue());
    }
}
