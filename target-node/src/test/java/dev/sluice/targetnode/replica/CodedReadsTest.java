package dev.sluice.targetnode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Reads of four data slices while no other is there: none may be taken for a bad one.
@Timeout(60)
final class CodedReadsTest {
    private static final int MIB = 1 << 20;
    private static final byte[] CONTENT = Bytes.random(1, 9 * MIB);

    @TempDir
    private Path folder;

    private ReplicaCluster cluster;
    private ReplicaCluster.Target primary;
    private String key;

    @BeforeEach
    void start() throws IOException {
        cluster = ReplicaCluster.coded(folder, 6, "4+2");
        key = IntStream.iterate(0, i -> i + 1)
                .mapToObj("key-%d"::formatted)
                .filter(each -> cluster.row(each).primary().position() == 0)
                .findFirst()
                .orElseThrow();
        cluster.put(key, CONTENT);
        for (var member : cluster.row(key).members()) {
            cluster.owner(member.drive()).awaitRow(key);
        }
        primary = cluster.owner(cluster.row(key).primary().drive());
        cluster.row(key).members().stream()
                .filter(member -> member.position() >= 4)
                .forEach(member -> cluster.owner(member.drive()).stop());
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static void prepare(StoredObject object, int block) {
        Await.whole(object.prepare((long) block * MIB, MIB).toCompletableFuture());
    }

    private static void requirePiece(StoredObject object, int offset) {
        var piece = ByteBuffer.allocate(MIB / 4);
        Await.whole(object.fetch(offset, piece).toCompletableFuture());
        assertThat(Arrays.equals(piece.array(), Arrays.copyOfRange(CONTENT, offset, offset + MIB / 4)))
                .as("at %d", offset)
                .isTrue();
    }

    /// Pieces of one window are asked for while the next one is brought, in either order; and earlier ones again.
    @Test
    void cellStaysWhileTheNextOneIsBroughtAndIsReadAgainAfterwards() {
        if (!(primary.store().lookup(cluster.bucket(), key) instanceof Lookup.Hit(var object))) {
            throw new AssertionError(key + " is not found");
        }
        try (object) {
            object.willRead(0, CONTENT.length);
            prepare(object, 1);
            requirePiece(object, MIB);
            prepare(object, 2);
            requirePiece(object, MIB + MIB / 2);
            prepare(object, 3);
            requirePiece(object, 2 * MIB);
            requirePiece(object, 3 * MIB);
            requirePiece(object, MIB);
            requirePiece(object, 5 * MIB);
            requirePiece(object, 8 * MIB + MIB / 2);
        }
        assertThat(primary.restored()).isZero();
    }
}
