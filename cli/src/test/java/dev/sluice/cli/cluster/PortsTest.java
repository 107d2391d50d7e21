package dev.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cli.config.NodeRole;
import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PortsTest {
    private static final String HOST = "127.0.0.1";

    private static List<Layout.Planned> one(int port) {
        return List.of(new Layout.Planned("target001", NodeRole.TARGET, port, List.of()));
    }

    @Test
    void aPortInUseIsNamedWithItsNode() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> Ports.check(HOST, one(taken.getLocalPort())))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageStartingWith(
                            "target001 cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": the port is in use");
        }
    }

    @Test
    void aFreePortIsFine() {
        assertThatCode(() -> Ports.check(HOST, one(0))).doesNotThrowAnyException();
    }

    @Test
    void anAddressOfAnotherMachineIsRefused() {
        assertThatThrownBy(() -> Ports.check("192.0.2.1", one(0))).hasMessageContaining("192.0.2.1");
    }
}
