package dev.sluice.cli.doctor;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.trust.Trust;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Whether this machine is fit for the nodes that are to run on it, which may run already.
final class ThisMachine {
    private static final Duration SOON = Duration.ofDays(30);
    private static final String RENEW = "renew it, and restart the node, which reads it at its start";
    private static final int FILES_OF_A_DRIVE = 768; // docs/operations/settings.md, Kernel limits
    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files +\\S+ +(\\S+) ");

    private final List<NodeConfig> nodes;
    private final Trust trust;

    ThisMachine(List<NodeConfig> nodes, Trust trust) {
        this.nodes = nodes;
        this.trust = trust;
    }

    List<Finding> findings() {
        var found = new ArrayList<Finding>();
        found.add(clock());
        found.add(openFiles());
        for (var node : nodes) {
            found.add(address(node));
            certificate(node, found);
            for (var drive : node.drives().folders()) {
                found.addAll(new DriveFolder(drive, node.storage()).findings());
            }
            credentials(node, found);
        }
        shared(found);
        return found;
    }

    /// As systemd says it, where that runs.
    private static Finding clock() {
        var ask = List.of("timedatectl", "show", "--property=NTPSynchronized", "--value");
        try {
            var process = new ProcessBuilder(ask).redirectErrorStream(true).start();
            process.getOutputStream().close();
            try (var output = process.inputReader()) {
                var said = output.readLine();
                if (process.waitFor(2, TimeUnit.SECONDS) && process.exitValue() == 0 && "no".equals(said)) {
                    return Finding.warning(
                            "clock",
                            "is not synchronized: signatures fail 15 minutes off, redirects a minute off",
                            "start chrony or systemd-timesyncd");
                }
                return "yes".equals(said)
                        ? Finding.fine("clock", "is synchronized")
                        : Finding.fine("clock", "nobody says here whether it is synchronized");
            } finally {
                process.destroy();
            }
        } catch (IOException absent) {
            return Finding.fine("clock", "nobody says here whether it is synchronized");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Finding.fine("clock", "was not looked at");
        }
    }

    private Finding openFiles() {
        long wanted = nodes.stream()
                .mapToLong(node -> 2L * node.limits().connections()
                        + (node.drives().paths().isEmpty() ? 0 : node.storage().openFileCache())
                        + (long) FILES_OF_A_DRIVE * node.drives().paths().size())
                .sum();
        try {
            var limits = OPEN_FILES.matcher(Files.readString(Path.of("/proc/self/limits")));
            var allowed = limits.find() ? limits.group(1) : "unlimited";
            return allowed.equals("unlimited") || Long.parseLong(allowed) >= wanted
                    ? Finding.fine("open files", allowed + " are allowed, up to " + wanted + " are used")
                    : Finding.warning(
                            "open files",
                            "%s are allowed here, up to %d are used".formatted(allowed, wanted),
                            "raise it: LimitNOFILE=%d in the unit, or ulimit -n %d before the start"
                                    .formatted(wanted, wanted));
        } catch (IOException unreadable) {
            return Finding.warning("open files", "the limit cannot be read: " + unreadable, "look at ulimit -n");
        }
    }

    private Finding address(NodeConfig node) {
        var id = node.node().id();
        var address = node.node().address();
        try {
            if (NativeApi.health(node.node().url(), trust).state() != NativeApi.Health.UNREACHABLE) {
                return Finding.fine(id, "answers at " + node.node().url());
            }
        } catch (CommandFailure untrusted) {
            return Finding.problem(id, untrusted.reason(), "look at what is said of its certificate");
        }
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(address.host()), address.port()));
            return Finding.fine(id, "does not run; it can listen on " + address);
        } catch (IOException refused) {
            return Finding.problem(
                    id,
                    "cannot listen on %s: %s".formatted(address, refused.getMessage()),
                    "name an address of this machine in node.listen, or end what has the port: ss -ltnp 'sport = :%d'"
                            .formatted(address.port()));
        }
    }

    private static void certificate(NodeConfig node, List<Finding> found) {
        if (!node.http().tls()) {
            return;
        }
        var file = Path.of(node.http().tlsCertificate());
        try (InputStream pem = Files.newInputStream(file)) {
            var first = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificates(pem).stream()
                    .findFirst()
                    .orElseThrow(() -> new CertificateException("no certificate in it"));
            var end = first.getNotAfter().toInstant();
            var left = Duration.between(Instant.now(), end);
            if (left.isNegative()) {
                found.add(Finding.problem(file.toString(), "ended on " + end, RENEW));
            } else if (left.compareTo(SOON) < 0) {
                found.add(Finding.warning(file.toString(), "ends on " + end, RENEW));
            } else {
                found.add(Finding.fine(file.toString(), "is valid until " + end));
            }
        } catch (IOException | CertificateException unusable) {
            found.add(Finding.problem(
                    file.toString(),
                    "cannot be used: " + unusable.getMessage(),
                    "http.tls_certificate names a file in PEM that the node's user can read"));
        }
    }

    private static void credentials(NodeConfig node, List<Finding> found) {
        node.backends().named().forEach((name, backend) -> {
            if (!backend.credentialsFile().isEmpty() && !Files.isReadable(Path.of(backend.credentialsFile()))) {
                found.add(Finding.problem(
                        "backends." + name,
                        backend.credentialsFile() + " cannot be read",
                        "put the credentials there, readable for the node's user alone"));
            }
        });
    }

    /// Drives that fail and fill together.
    private void shared(List<Finding> found) {
        var byDevice = new LinkedHashMap<Object, List<Path>>();
        for (var node : nodes) {
            for (var drive : node.drives().folders()) {
                new DriveFolder(drive, node.storage())
                        .device()
                        .ifPresent(device -> byDevice.computeIfAbsent(device, _ -> new ArrayList<>())
                                .add(drive));
            }
        }
        byDevice.values().stream()
                .filter(drives -> drives.size() > 1)
                .map(drives -> Finding.warning(
                        "disks",
                        "%d drives lie on one disk, the first is %s".formatted(drives.size(), drives.getFirst()),
                        "to try Sluice that will do; else give each drive a disk of its own"))
                .forEach(found::add);
    }
}
