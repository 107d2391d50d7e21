package dev.sluice.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a machine has, and what a JVM gets of it.
final class MemoryTest {
    @TempDir
    private Path root;

    @BeforeEach
    void twentyFourGibibytes() throws IOException {
        write("proc/meminfo", "MemTotal:       25165824 kB\nMemFree:          123456 kB\n");
    }

    private void write(String path, String text) throws IOException {
        Files.createDirectories(root.resolve(path).getParent());
        Files.writeString(root.resolve(path), text);
    }

    @Test
    void withoutAGroupItIsTheMachines() {
        assertThat(MachineMemory.bytes(root)).isEqualTo(24L << 30);
    }

    @Test
    void theLeastLimitOfTheGroupsAboveCounts() throws IOException {
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/b/memory.max", "max\n");
        write("sys/fs/cgroup/a/memory.max", "2147483648\n");
        assertThat(MachineMemory.bytes(root)).isEqualTo(2L << 30);
        write("sys/fs/cgroup/a/b/memory.max", "1073741824\n");
        assertThat(MachineMemory.bytes(root)).isEqualTo(1L << 30);
    }

    @Test
    void aContainersOwnGroupIsTheTopmostOneThatItSees() throws IOException {
        write("proc/self/cgroup", "0::/../../docker/x\n");
        write("sys/fs/cgroup/memory.max", "1073741824\n");
        assertThat(MachineMemory.bytes(root)).isEqualTo(1L << 30);
    }

    @Test
    void theFirstVersionHasItsOwnFolderAndANumberForNoLimit() throws IOException {
        write("proc/self/cgroup", "7:cpu,cpuacct:/\n4:hugetlb,memory:/slice/unit\n1:name=systemd:/x\n0::/\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(MachineMemory.bytes(root)).isEqualTo(24L << 30);
        write("sys/fs/cgroup/memory/slice/memory.limit_in_bytes", "3221225472\n");
        assertThat(MachineMemory.bytes(root)).isEqualTo(3L << 30);
    }

    /// Each row: the machine's GiB, nodes of the JVM, nodes on the machine, MiB of heap and of direct memory.
    @ParameterizedTest
    @CsvSource({
        "24, 4, 4, 1536",
        "24, 1, 4, 384",
        "24, 1, 11, 384",
        "8, 4, 4, 512",
        "2, 1, 1, 384",
        "1, 1, 1, 256",
        "1, 4, 4, 256",
        "1, 1, 4, 128",
        "512, 4, 4, 4096",
        "512, 1, 10, 3276"
    })
    void heapAndDirectMemoryFollowTheShare(long gibibytes, int here, int all, long mebibytes) {
        assertThat(JvmMemory.of(gibibytes << 30, here, all).flags())
                .containsExactly("-Xmx" + mebibytes + "m", "-XX:MaxDirectMemorySize=" + mebibytes + "m");
    }
}
