package dev.sluice.deploy.harness;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// As much of Kubernetes' API as helm asks to look up ConfigMaps and Secrets: an installed release as a chart sees it.
public final class ClusterObjects implements AutoCloseable {
    private static final String KINDS = """
            {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[
             {"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":["get"]},
             {"name":"secrets","singularName":"secret","namespaced":true,"kind":"Secret","verbs":["get"]}]}""";
    private static final String NOT_FOUND =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}";

    private final HttpServer server;
    private final Map<String, String> objects;

    private ClusterObjects(HttpServer server, Map<String, String> objects) {
        this.server = server;
        this.objects = Map.copyOf(objects);
    }

    /// @param objects their JSON, by `configmaps/NAME` and `secrets/NAME` in the chart's namespace
    public static ClusterObjects serving(Map<String, String> objects) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var made = new ClusterObjects(server, objects);
        server.createContext("/", made::answer);
        server.start();
        return made;
    }

    private void answer(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var objectsHere = "/api/v1/namespaces/%s/".formatted(HelmChart.NAMESPACE);
        var found = path.equals("/api/v1")
                ? KINDS
                : path.startsWith(objectsHere)
                        ? objects.getOrDefault(path.substring(objectsHere.length()), NOT_FOUND)
                        : NOT_FOUND;
        var body = found.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(found.equals(NOT_FOUND) ? 404 : 200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /// Options with which helm asks here.
    public String[] options() {
        var address = "http://127.0.0.1:" + server.getAddress().getPort();
        return new String[] {"--dry-run=server", "--kube-apiserver", address};
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
