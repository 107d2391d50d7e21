package dev.sluice.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
            assertThat(memory.limit()).isEqualTo(17L << 20);
        }
    }
}
