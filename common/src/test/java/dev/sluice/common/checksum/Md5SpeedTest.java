package dev.sluice.common.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Bytes;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prints how many bytes a processor's nanosecond yields, for so many streams at once.
@Tag("long")
class Md5SpeedTest {
    private static final Logger LOG = LoggerFactory.getLogger(Md5SpeedTest.class);
    private static final int LENGTH = 256 << 10;
    private static final int ROUNDS = 200;

    @Test
    void allLanesAreFasterThanTheJdk() {
        var bytes = Bytes.random(1, LENGTH);
        var buffer = ByteBuffer.allocateDirect(LENGTH).put(bytes).flip();
        Md5Trial.run();
        double jdk = 0;
        double all = 0;
        for (int repeat = 0; repeat < 3; repeat++) {
            jdk = Math.max(jdk, bytesPerNano(LENGTH, () -> jdk(buffer)));
            LOG.info("JDK {} GB/s", jdk);
            for (int streams = 1; streams <= Md5Lanes.LANES; streams *= 2) {
                int count = streams;
                var lanes = new Md5Lanes();
                double speed = bytesPerNano((long) count * LENGTH, () -> lanes(lanes, buffer, count));
                LOG.info("{} streams {} GB/s", count, speed);
                all = Math.max(all, speed);
            }
        }
        assertThat(all).isGreaterThan(jdk);
    }

    private static void jdk(ByteBuffer buffer) {
        var hasher = Hasher.Digest.of("MD5");
        hasher.add(buffer);
        assertThat(hasher.value()).hasSize(16);
    }

    private static void lanes(Md5Lanes lanes, ByteBuffer buffer, int count) {
        for (int at = 0; at < LENGTH; at += Md5Lanes.STAGED_BLOCKS * Md5Block.BYTES) {
            for (int lane = 0; lane < count; lane++) {
                lanes.stage(lane, buffer.duplicate().position(at), Md5Lanes.STAGED_BLOCKS);
            }
            lanes.run(count, Md5Lanes.STAGED_BLOCKS);
        }
    }

    private static double bytesPerNano(long bytes, Runnable work) {
        var threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < ROUNDS; i++) {
            work.run();
        }
        return (double) bytes * ROUNDS / (threads.getCurrentThreadCpuTime() - start);
    }
}
