package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;

/// TLS with one process per node: they call each other through it.
final class SeparateTlsTest extends TlsTests {
    SeparateTlsTest() {
        super(Mode.SEPARATE);
    }
}
