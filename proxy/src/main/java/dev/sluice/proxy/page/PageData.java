package dev.sluice.proxy.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.metrics.Metrics;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.api.JobApi;
import dev.sluice.proxy.gateway.TargetFanout;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/// What the cluster's page shows, from the metrics of all nodes and the state that this one knows. Counters are since
/// each node's start: the page makes rates of them. However many look at it, the nodes are asked once a second at most.
public final class PageData {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long KEPT_NANOS = 1_000_000_000;
    private static final int JOBS = 20;

    private final NodeId self;
    private final ClusterViews views;
    private final Function<Node, Metrics> metrics;
    private final JobApi jobs;
    private final InstantSource clock;

    private final ReentrantLock lock = new ReentrantLock();
    private volatile Optional<String> kept = Optional.empty();
    private long keptSince;

    /// @param metrics of the process of a node; says Unavailable when it does not answer. May block
    public PageData(
            NodeId self, ClusterViews views, Function<Node, Metrics> metrics, JobApi jobs, InstantSource clock) {
        this.self = self;
        this.views = views;
        this.metrics = metrics;
        this.jobs = jobs;
        this.clock = clock;
    }

    /// As JSON. Blocks while nodes are asked; while another one asks, what was known before is enough.
    public String get() {
        var known = kept;
        if (!lock.tryLock()) {
            if (known.isPresent()) {
                return known.get();
            }
            lock.lock();
        }
        try {
            if (kept.isEmpty() || System.nanoTime() - keptSince > KEPT_NANOS) {
                var found = look().toString();
                kept = Optional.of(found);
                keptSince = System.nanoTime();
                return found;
            }
            return kept.get();
        } finally {
            lock.unlock();
        }
    }

    private ObjectNode look() {
        var view = views.current();
        var state = view.state();
        var all = ask(state.map().nodes().values());
        var page = JSON.createObjectNode()
                .put("cluster", state.clusterId())
                .put("asked", self.value())
                .put("millis", clock.millis());
        page.set("slots", JSON.valueToTree(view.allSlotCounts()));
        page.putObject("repair")
                .put("missing_bytes", all.sum("sluice_bucket_missing_bytes", _ -> true))
                .put("copied_bytes", all.sum("sluice_replica_copied_bytes_total", _ -> true));
        page.set("muted", JSON.valueToTree(state.replication().muted()));
        page.set("nodes", nodes(state, all));
        page.set("drives", drives(all));
        page.set("buckets", buckets(view, all));
        jobs(page);
        return page;
    }

    /// All at once; those that do not answer are left out.
    private Metrics ask(Collection<Node> nodes) {
        return Metrics.together(System.nanoTime(), answers(nodes));
    }

    private List<Metrics> answers(Collection<Node> nodes) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = nodes.stream()
                    .map(node -> threads.submit(() -> answer(node)))
                    .toList();
            return running.stream().map(Await::task).flatMap(Optional::stream).toList();
        }
    }

    private Optional<Metrics> answer(Node node) {
        try {
            return Optional.of(metrics.apply(node));
        } catch (StoreException | NumberFormatException silent) {
            return Optional.empty(); // the page shows it as a node that does not answer
        }
    }

    private static ArrayNode nodes(ClusterState state, Metrics all) {
        var answered = all.values(Metrics.OF_EVERY_NODE, "node");
        var nodes = JSON.createArrayNode();
        for (var node : state.map().nodes().values()) {
            Predicate<Metrics.Sample> its =
                    sample -> sample.label("node").equals(node.id().value());
            nodes.addObject()
                    .put("id", node.id().value())
                    .put("role", TargetFanout.lower(node.role()))
                    .put("url", node.url())
                    .put("zone", node.zone())
                    .put("answers", answered.contains(node.id().value()))
                    .put("leads", all.sum("sluice_controller_leads", its) > 0)
                    .put("version", String.join(", ", all.values("sluice_build", "version", its)))
                    .put("requests", all.sum("sluice_http_requests_total", its))
                    .put("errors", all.sum("sluice_http_requests_total", its.and(labelled("status", "5xx"))))
                    .put("bytes_in", all.sum("sluice_http_bytes_in_total", its))
                    .put("bytes_out", all.sum("sluice_http_bytes_out_total", its))
                    .put("under_way", all.sum("sluice_http_requests_in_flight", its));
        }
        return nodes;
    }

    private static ArrayNode drives(Metrics all) {
        var drives = JSON.createArrayNode();
        all.samples("sluice_drive_state").stream()
                .filter(sample -> sample.value() == 1)
                .forEach(state -> {
                    Predicate<Metrics.Sample> its =
                            labelled("node", state.label("node")).and(labelled("drive", state.label("drive")));
                    drives.addObject()
                            .put("target", state.label("node"))
                            .put("path", state.label("drive"))
                            .put("state", state.label("state"))
                            .put("objects", all.sum("sluice_drive_objects", its))
                            .put("bytes", all.sum("sluice_drive_bytes", its))
                            .put("free", all.sum("sluice_drive_free_bytes", its))
                            .put("waiting", all.sum("sluice_drive_queue", its))
                            .put("errors", all.sum("sluice_drive_errors", its));
                });
        return drives;
    }

    private static ArrayNode buckets(ClusterView view, Metrics all) {
        var buckets = JSON.createArrayNode();
        for (var bucket : view.state().buckets().buckets().values()) {
            var its = labelled("bucket", bucket.name());
            buckets.addObject()
                    .put("name", bucket.name())
                    .put("cached", bucket.backed())
                    .put("quota", bucket.properties().quota().orElse(null))
                    .put("objects", all.sum("sluice_bucket_objects", its))
                    .put("bytes", all.sum("sluice_bucket_bytes", its))
                    .put("gets", all.sum("sluice_bucket_gets_total", its))
                    .put("hits", all.sum("sluice_bucket_gets_total", its.and(labelled("result", "hit"))))
                    .put("get_bytes", all.sum("sluice_bucket_get_bytes_total", its));
        }
        return buckets;
    }

    private void jobs(ObjectNode page) {
        var shown = page.putArray("jobs");
        try {
            var all = jobs.known();
            for (int i = 0; i < all.size(); i++) {
                if (i < JOBS || all.get(i).path("state").asText().equals("running")) {
                    shown.add(all.get(i));
                }
            }
        } catch (StoreException | S3Failure unknown) {
            page.put("jobs_unknown", unknown.getMessage());
        }
    }

    private static Predicate<Metrics.Sample> labelled(String label, String value) {
        return sample -> sample.label(label).equals(value);
    }
}
