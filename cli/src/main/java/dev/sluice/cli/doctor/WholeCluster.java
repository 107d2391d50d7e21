package dev.sluice.cli.doctor;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.api.NodeHealth;
import dev.sluice.cli.api.SlotTexts;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.common.peer.ControllerHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// The nodes of a cluster, as they and this machine see them.
final class WholeCluster {
    /// A Date is in whole seconds, and an answer takes a while.
    private static final Duration UNSURE = Duration.ofSeconds(2);

    /// Half of what redirects bear.
    private static final Duration TOO_FAR = Duration.ofSeconds(30);

    /// A third of what signatures bear.
    private static final Duration TOO_FAR_FROM_CLIENTS = Duration.ofMinutes(5);

    private static final int NEARLY_FULL = 90;

    private final List<NativeApi.Member> members;
    private final NativeApi api;
    private final List<Finding> found = new ArrayList<>();

    WholeCluster(List<NativeApi.Member> members, NativeApi api) {
        this.members = members;
        this.api = api;
    }

    List<Finding> findings() {
        var healths = new LinkedHashMap<String, NodeHealth>();
        for (var node : members) {
            try {
                var health = NativeApi.health(node.url(), api.trust());
                healths.put(node.id(), health);
                node(node, health);
            } catch (CommandFailure untrusted) {
                found.add(
                        Finding.problem(node.id(), untrusted.reason(), "name the authority by --ca FILE, or renew it"));
            }
        }
        versions(healths);
        clocks(healths);
        slots();
        buckets();
        return found;
    }

    private void node(NativeApi.Member node, NodeHealth health) {
        switch (health.state()) {
            case SERVING -> found.add(Finding.fine(node.id(), "serves at " + node.url()));
            case STARTING ->
                found.add(Finding.warning(
                        node.id(),
                        "does not serve yet: " + health.reason(),
                        "wait; its log says more if it takes longer than a minute"));
            case UNREACHABLE ->
                found.add(
                        Finding.problem(
                                node.id(),
                                "does not answer at " + node.url(),
                                "look on its machine whether it runs (its log says why not), and whether a firewall is between"));
        }
        for (var drive : health.drives()) {
            found.add(
                    drive.isWanted()
                            ? Finding.warning(node.id(), "drive " + drive.text(), "sluice drive enable " + drive.path())
                            : Finding.problem(
                                    node.id(),
                                    "drive " + drive.text(),
                                    "mount or replace its disk: it comes back by itself; if it is lost: sluice drive detach --lost "
                                            + (drive.path().isEmpty() ? drive.id() : drive.path())));
        }
        health.controller()
                .map(ControllerHealth::reason)
                .filter(why -> !why.isEmpty())
                .ifPresent(why -> found.add(Finding.problem(
                        node.id(),
                        "takes no part as a controller: " + why,
                        "docs/operations/drives.md, The controller's state")));
    }

    private void versions(SequencedMap<String, NodeHealth> healths) {
        var byVersion = new TreeMap<String, TreeSet<String>>();
        healths.forEach((id, health) -> {
            if (health.state() != NativeApi.Health.UNREACHABLE) {
                byVersion
                        .computeIfAbsent(health.version(), _ -> new TreeSet<>())
                        .add(id);
            }
        });
        if (byVersion.size() == 1) {
            found.add(Finding.fine("versions", "all nodes run " + byVersion.firstKey()));
        } else if (byVersion.size() > 1) {
            found.add(Finding.warning("versions", "nodes run several: " + byVersion, "end the upgrade"));
        }
    }

    private void clocks(SequencedMap<String, NodeHealth> healths) {
        var ahead = new TreeMap<String, Duration>();
        healths.forEach((id, health) -> health.ahead().ifPresent(by -> ahead.put(id, by)));
        found.addAll(clocks(ahead));
    }

    /// @param ahead by how much each node's clock is ahead of this machine's
    static List<Finding> clocks(Map<String, Duration> ahead) {
        if (ahead.isEmpty()) {
            return List.of();
        }
        var found = new ArrayList<Finding>();
        var first = Collections.max(ahead.entrySet(), Map.Entry.comparingByValue());
        var last = Collections.min(ahead.entrySet(), Map.Entry.comparingByValue());
        var apart = first.getValue().minus(last.getValue());
        if (apart.compareTo(UNSURE) > 0) {
            var what = "%s is %d s ahead of %s".formatted(first.getKey(), apart.toSeconds(), last.getKey());
            var next = "start chrony or systemd-timesyncd there";
            found.add(
                    apart.compareTo(TOO_FAR) > 0
                            ? Finding.problem("clocks", what + ": redirects fail from a minute on", next)
                            : Finding.warning("clocks", what, next));
        } else {
            found.add(Finding.fine("clocks", "the nodes' agree within %d s".formatted(UNSURE.toSeconds())));
        }
        for (var node : List.of(first, last)) {
            if (node.getValue().abs().compareTo(TOO_FAR_FROM_CLIENTS) > 0) {
                found.add(Finding.problem(
                        "clocks",
                        "%s and this machine are %d s apart: signatures fail from 15 minutes on"
                                .formatted(node.getKey(), node.getValue().abs().toSeconds()),
                        "correct this machine's clock, or the node's"));
                break;
            }
        }
        return found;
    }

    private void slots() {
        var known = members.stream()
                .flatMap(node -> NativeApi.clusterHealth(node.url(), api.trust()).stream())
                .findFirst();
        known.ifPresent(health -> {
            health.muted()
                    .forEach(target -> found.add(Finding.problem(
                            target,
                            "is muted: most other targets do not hear it, so it serves nothing",
                            "look at the network between them")));
            var slots = health.slots();
            if (slots.unopened() > 0) {
                found.add(Finding.problem(
                        "slots",
                        "%d of %d are not served: %s"
                                .formatted(
                                        slots.unopened(),
                                        slots.total(),
                                        SlotTexts.waiting(slots)
                                                .map(targets -> "they wait for " + targets)
                                                .orElse("their primaries are just beginning")),
                        "bring these targets back"));
            } else if (slots.degraded() > 0) {
                found.add(Finding.warning(
                        "slots",
                        "%d of %d have fewer replicas than wanted; %d of them survive no other loss"
                                .formatted(
                                        slots.degraded(),
                                        slots.total(),
                                        slots.protection().surviving(0)),
                        "they are repaired by themselves once targets and drives are there: watch sluice status"));
            } else if (slots.total() > 0) {
                found.add(Finding.fine("slots", "all %d have their replicas".formatted(slots.total())));
            }
        });
    }

    private void buckets() {
        try {
            for (var bucket : api.buckets()) {
                tolerant(bucket.name());
            }
        } catch (CommandFailure refused) {
            found.add(Finding.warning(
                    "buckets",
                    "cannot be asked for: " + refused.reason(),
                    "give keys: SLUICE_ACCESS_KEY and SLUICE_SECRET_KEY"));
        }
    }

    private void tolerant(String name) {
        try {
            bucket(name);
        } catch (CommandFailure unknown) {
            found.add(Finding.warning("bucket " + name, unknown.reason(), "sluice bucket show " + name));
        }
    }

    private void bucket(String name) {
        boolean cached = api.bucket(name).hasNonNull("backend");
        var usage = api.usage(name);
        for (var failed : usage.path("cloud").path("targets")) {
            found.add(Finding.problem(
                    "bucket " + name,
                    "%s cannot use the cloud: %s"
                            .formatted(
                                    failed.path("target").asText(),
                                    failed.path("failure").asText()),
                    usage.path("cloud").path("next").asText("look at the cloud's status, and at the way to it")));
        }
        var silent = usage.findValues("error");
        silent.forEach(error -> found.add(Finding.problem("bucket " + name, error.asText(), "look at that target")));
        if (cached && silent.isEmpty() && usage.path("cloud").path("targets").isEmpty()) {
            found.add(Finding.fine("bucket " + name, "its cloud answers every target"));
        }
        if (usage.hasNonNull("quota")) {
            long bytes = usage.path("bytes").asLong() + usage.path("uploading").asLong();
            long percent =
                    (long) (100.0 * bytes / Math.max(1, usage.path("quota").asLong()));
            if (percent >= NEARLY_FULL) {
                found.add(Finding.warning(
                        "bucket " + name,
                        "uses %d %% of its quota".formatted(percent),
                        "sluice bucket set %s --quota SIZE, or delete objects".formatted(name)));
            }
        }
    }
}
