package dev.sluice.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmRuntimeTest {
    @TempDir
    private Path folder;

    @Test
    void allTargetsShareOneIndexMemoryOfTheConfiguredSize() throws IOException {
        var first =
                TargetConfig.of("target001", folder, "[storage]", "block_cache = \"8MiB\"", "write_buffers = \"9MiB\"");
        try (var jvm = new JvmRuntime(first)) {
            var memory = jvm.indexMemory();
            assertThat(jvm.indexMemory()).isSameAs(memory);
            assertThat(memory.limit()).as("without a drive yet").isEqualTo(9L << 20);
        }
    }

    @Test
    void memoryForBodiesIsAsConfiguredElseAThirdOfTheDirectMemory() throws IOException {
        var silent = TargetConfig.of("target001", folder);
        var given = TargetConfig.of("target002", folder, "[limits]", "body_memory = \"7MiB\"");
        try (var jvm = new JvmRuntime(silent)) {
            assertThat(jvm.bodyMemory(given.limits())).isEqualTo(7L << 20);
            assertThat(ManagementFactory.getRuntimeMXBean().getInputArguments())
                    .contains("-XX:MaxDirectMemorySize=512m");
            assertThat(jvm.bodyMemory(silent.limits())).isEqualTo((512L << 20) / 3);
        }
    }
}
