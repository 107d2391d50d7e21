package dev.sluice.testing.limits.stuck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// After its tests it waits for a process that does not end when it is asked to.
final class NodeWithoutEnd {
    private static Process node;

    /// The process: its shutdown never ends.
    public static void main(String[] arguments) throws InterruptedException {
        var never = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            while (true) {
                try {
                    never.await();
                } catch (InterruptedException again) {
                    Thread.onSpinWait();
                }
            }
        }));
        never.await();
    }

    @BeforeAll
    static void start() throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        node = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), NodeWithoutEnd.class.getName())
                .inheritIO()
                .start();
    }

    @Test
    void runs() {
        assertThat(node.isAlive()).isTrue();
    }

    @AfterAll
    static void stop() {
        node.destroy();
        node.onExit().join();
    }
}
