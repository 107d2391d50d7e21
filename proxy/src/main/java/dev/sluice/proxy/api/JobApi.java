package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.NameList;
import dev.sluice.common.jobs.NameTemplate;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.TargetFanout;
import dev.sluice.proxy.gateway.Targets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// `/v1/jobs`: starts, shows and stops jobs. The controller has the record of each, the targets tell how far they are.
public final class JobApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> VALUES = List.of("kind", "bucket", "prefix", "template", "list", "dry_run");
    private static final String ID_CHARACTERS = "abcdefghijkmnpqrstuvwxyz23456789"; // none is taken for another
    private static final int ID_LENGTH = 8;

    private final ControlPlane control;
    private final ClusterViews views;
    private final JobMatches matches;
    private final TargetFanout each;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    public JobApi(ControlPlane control, ClusterViews views, Targets targets, TargetFanout each, InstantSource clock) {
        this.control = control;
        this.views = views;
        this.matches = new JobMatches(views, targets, each);
        this.each = each;
        this.clock = clock;
    }

    /// The newest first.
    public ArrayNode list() {
        return shown(control.confirm());
    }

    /// The same as this node knows them, also without controllers.
    public ArrayNode known() {
        return shown(views.current().state());
    }

    private ArrayNode shown(ClusterState state) {
        var jobs = JSON.createArrayNode();
        var live = LiveParts.All.ask(each, Optional.empty());
        state.jobs().jobs().values().stream()
                .sorted(Comparator.comparingLong(Job::createdMillis).reversed())
                .forEach(job -> jobs.add(JobJson.summary(job, live.of(job.id()))));
        return jobs;
    }

    ObjectNode show(String id) {
        return show(known(id));
    }

    private ObjectNode show(Job job) {
        return JobJson.show(job, live(job.id()));
    }

    private LiveParts live(String id) {
        return LiveParts.All.ask(each, Optional.of(id)).of(id);
    }

    private Job known(String id) {
        return views.current()
                .state()
                .jobs()
                .find(id) // also while the controller is away
                .or(() -> control.confirm().jobs().find(id))
                .orElseThrow(() -> new S3Failure(S3Code.NO_SUCH_JOB, "There is no job %s".formatted(id)));
    }

    /// @param message `{"kind": one of [JobKind#KNOWN], "bucket", "prefix" or "template" or "list", "dry_run"}`, the
    ///     last two optional
    ObjectNode start(JsonNode message, String author) throws IOException {
        for (var field : message.properties()) {
            if (!VALUES.contains(field.getKey())) {
                throw new IOException("unknown value '%s'; known are %s".formatted(field.getKey(), VALUES));
            }
        }
        var kind = JobKind.of(text(message, "kind"))
                .orElseThrow(() -> new IOException("'kind' is one of [%s], not '%s'"
                        .formatted(JobKind.names(), message.path("kind").asText())));
        var name = text(message, "bucket");
        var bucket = views.confirmed().bucket(name).orElseThrow(() -> new StoreException.NoSuchBucket(name));
        var prefix = text(message, "prefix");
        if (prefix.getBytes(StandardCharsets.UTF_8).length > NameTemplate.LONGEST_NAME) {
            throw new IOException("'prefix' has more than %d bytes".formatted(NameTemplate.LONGEST_NAME));
        }
        boolean dryRun = isTrue(message, "dry_run");
        var template = template(message);
        var list = list(message);
        if ((prefix.isEmpty() ? 0 : 1)
                        + template.stream().count()
                        + list.stream().count()
                > 1) {
            throw new IOException("a job has a 'prefix', a 'template' or a 'list', not two of them");
        }
        matches.require(
                kind,
                bucket,
                template.map(NameTemplate::of).map(NameTemplate::prefix).orElse(prefix));
        var spec = new JobSpec(kind, name, bucket.id(), prefix, template, list, dryRun);
        var id = kind.text() + "-" + newId();
        control.apply(new Command.StartJob(id, spec, author, clock.millis()));
        return show(known(id));
    }

    private static String text(JsonNode message, String name) throws IOException {
        var value = message.path(name);
        if (!value.isMissingNode() && !value.isTextual()) {
            throw new IOException("'%s' is a text".formatted(name));
        }
        return unicode(name, value.asText(""));
    }

    /// No key has anything else.
    private static String unicode(String name, String text) throws IOException {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IOException("'%s' has characters that are no Unicode".formatted(name));
        }
        return text;
    }

    /// @throws IllegalArgumentException saying what is wrong with it
    private static Optional<String> template(JsonNode message) throws IOException {
        if (!message.has("template")) {
            return Optional.empty();
        }
        var template = Optional.of(text(message, "template")); // an empty one has no names, and does not mean all
        template.ifPresent(NameTemplate::of);
        return template;
    }

    /// @throws IllegalArgumentException saying what is wrong with it
    private static Optional<NameList> list(JsonNode message) throws IOException {
        var list = message.path("list");
        if (list.isMissingNode()) {
            return Optional.empty();
        }
        var names = new ArrayList<String>();
        for (var name : list) {
            if (!name.isTextual()) {
                throw new IOException("'list' has names only, not " + name);
            }
            names.add(unicode("list", name.asText()));
        }
        if (!list.isArray()) {
            throw new IOException("'list' is an array of names");
        }
        return Optional.of(NameList.of(names)); // an empty one does not mean all
    }

    private static boolean isTrue(JsonNode message, String name) throws IOException {
        var value = message.path(name);
        if (!value.isMissingNode() && !value.isBoolean()) {
            throw new IOException("'%s' is true or false".formatted(name));
        }
        return value.asBoolean(false);
    }

    private String newId() {
        var id = new StringBuilder();
        for (int i = 0; i < ID_LENGTH; i++) {
            id.append(ID_CHARACTERS.charAt(random.nextInt(ID_CHARACTERS.length())));
        }
        return id.toString();
    }

    /// What is under way ends by itself. A job that has ended stays as it is.
    ObjectNode stop(String id) {
        var job = known(id);
        if (job.isRunning()) {
            control.apply(new Command.StopJob(id, live(id).shortened(job), clock.millis()));
        }
        return show(known(id));
    }
}
