package dev.sluice.backend.access;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The addresses that no backend has: those that give a machine its own credentials, and those that are no single
/// server. Judged twice: a host as it is written, and the address of each connection when it is made.
final class Destinations {
    /// Where clouds tell their machines who they are, besides the link-local addresses: Alibaba, Azure, Oracle; and
    /// Google by IPv6.
    private static final Set<String> METADATA =
            Set.of("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd20:ce:0:0:0:0:0:254");

    private static final Set<String> METADATA_NAMES = Set.of(
            "metadata.google.internal", "metadata.goog", "metadata", "instance-data", "instance-data.ec2.internal");

    /// The beginnings of IPv6 addresses that stand for an IPv4 address, which follows: compatible, NAT64, 6to4.
    private static final List<byte[]> EMBEDDING = List.of(
            new byte[12],
            HexFormat.of().parseHex("0064ff9b0000000000000000"),
            HexFormat.of().parseHex("2002"));

    /// All that AWS has for its machines alone is below `fd00:ec2::/32`.
    private static final byte[] AWS_LOCAL = HexFormat.of().parseHex("fd000ec2");

    private Destinations() {}

    /// A host that can be judged without being looked up.
    ///
    /// @throws IllegalArgumentException when nothing may connect to it
    static void checkHost(String host) {
        var name = host.toLowerCase(Locale.ROOT);
        var plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        if (METADATA_NAMES.contains(plain)) {
            throw new IllegalArgumentException(host + " is a metadata service, not a backend");
        }
        literal(plain).flatMap(address -> refusal(address, Reach.NAMED)).ifPresent(why -> {
            throw new IllegalArgumentException(host + " is " + why + ", not a backend");
        });
    }

    private static Optional<InetAddress> literal(String host) {
        var bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        if (!bare.contains(":") && !bare.matches("[0-9.]+")) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(bare));
        } catch (IllegalArgumentException _) {
            return Optional.empty(); // no address in this form; the connection's own will be judged
        }
    }

    /// What is wrong with connecting there; nothing when it may be.
    static Optional<String> refusal(InetAddress address, Reach reach) {
        var embedded = embedded(address);
        if (embedded.isPresent()) {
            return refusal(embedded.get(), reach);
        }
        if (address.isLinkLocalAddress()) {
            return Optional.of("a link-local address");
        }
        var bytes = address.getAddress();
        if (METADATA.contains(address.getHostAddress()) || startsWith(bytes, AWS_LOCAL)) {
            return Optional.of("the address of a metadata service");
        }
        boolean version4 = address instanceof Inet4Address;
        if (address.isAnyLocalAddress() || (version4 && bytes[0] == 0)) {
            return Optional.of("an unspecified address");
        }
        if (address.isMulticastAddress() || (version4 && (bytes[0] & 0xf0) == 0xf0)) {
            return Optional.of("a multicast or reserved address");
        }
        return reach == Reach.PUBLIC && isPrivate(address) ? Optional.of("a private address") : Optional.empty();
    }

    private static boolean isPrivate(InetAddress address) {
        var bytes = address.getAddress();
        boolean shared = address instanceof Inet4Address && bytes[0] == 100 && (bytes[1] & 0xc0) == 64;
        boolean uniqueLocal = !(address instanceof Inet4Address) && (bytes[0] & 0xfe) == 0xfc;
        return address.isLoopbackAddress() || address.isSiteLocalAddress() || shared || uniqueLocal;
    }

    private static Optional<InetAddress> embedded(InetAddress address) {
        var bytes = address.getAddress();
        if (address instanceof Inet4Address || address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return Optional.empty();
        }
        return EMBEDDING.stream()
                .filter(prefix -> startsWith(bytes, prefix))
                .findFirst()
                .map(prefix -> version4(Arrays.copyOfRange(bytes, prefix.length, prefix.length + 4)));
    }

    private static InetAddress version4(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // four bytes are an address
        }
    }

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return bytes.length == 16 && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }
}
