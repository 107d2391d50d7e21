package dev.sluice.proxy.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.NodeId;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClientUrlTest {
    private static Node node(String url) {
        return new Node(new NodeId("target001"), Role.TARGET, url, "", 1);
    }

    private static RequestHead head(String path, Headers headers) {
        return new RequestHead("GET", path, "", headers, 0, new InetSocketAddress("10.0.0.9", 40_000), false, "id");
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            http://0.0.0.0:8180,  localhost:8080,             /shards/a,    http://localhost:8180
            http://0.0.0.0:8180,  10.0.0.11,                  /shards/a,    http://10.0.0.11:8180
            https://0.0.0.0:8180, train01.example.com:443,    /shards/a,    https://train01.example.com:8180
            http://0.0.0.0:8180,  [2001:db8::1]:8080,         /shards/a,    http://[2001:db8::1]:8180
            http://[::]:8180,     [::1],                      /shards/a,    http://[::1]:8180
            http://0.0.0.0:8180,  shards.s3.example.com:8080, /a,           http://s3.example.com:8180
            http://0.0.0.0:8180,  train01,                    /s3/shards/a, http://train01:8180
            http://10.1.1.1:8180, localhost:8080,             /shards/a,    http://10.1.1.1:8180
            """)
    void everyAddressIsTheHostThatTheClientNamed(String url, String host, String path, String client) {
        assertThat(ClientUrl.of(node(url), head(path, Headers.of("Host", host)), "/shards/a"))
                .isEqualTo(client);
    }

    @Test
    void withoutHostItIsTheNodesUrl() {
        assertThat(ClientUrl.of(node("http://0.0.0.0:8180"), head("/v1/daemon", Headers.EMPTY)))
                .isEqualTo("http://0.0.0.0:8180");
    }
}
