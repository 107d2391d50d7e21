package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import org.junit.jupiter.api.Tag;

/// TLS with proxy and targets in one process.
@Tag("long")
final class EmbeddedTlsTest extends TlsTests {
    EmbeddedTlsTest() {
        super(Mode.EMBEDDED);
    }
}
