package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.peer.BackendCheck;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.TargetFanout;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Judges the backend of a bucket that is yet to be made: by this node's own configuration, and by asking the cloud
/// from every target, since each has a configuration of its own.
public final class NewBackend {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FAILURE = "failure";

    private final Consumer<BackendSpec> rules;
    private final TargetFanout targets;

    /// @param rules throws an IllegalArgumentException that says what this node's configuration lacks
    public NewBackend(Consumer<BackendSpec> rules, TargetFanout targets) {
        this.rules = rules;
        this.targets = targets;
    }

    /// @throws IllegalArgumentException when this node's configuration does not let buckets have this backend
    void checkRules(BackendSpec spec) {
        rules.accept(spec);
    }

    /// Targets that do not answer are left out, as long as one does.
    ///
    /// @throws S3Failure saying which targets cannot use the cloud bucket, with which credentials, and why
    void checkCloud(BackendSpec spec) {
        var answers = targets.answers(target -> Optional.of(shown(target.checkBackend(spec))));
        var failures = said(answers, FAILURE);
        if (!failures.isEmpty()) {
            throw new S3Failure(S3Code.INVALID_ARGUMENT, "no bucket was created: %s".formatted(text(failures)));
        }
        var errors = said(answers, "error");
        if (errors.size() == answers.size()) {
            throw new StoreException.Unavailable(
                    "no bucket was created: no target could ask %s: %s".formatted(spec.url(), text(errors)));
        }
    }

    private static ObjectNode shown(BackendCheck check) {
        var shown = JSON.createObjectNode();
        check.failure().ifPresent(why -> shown.put(FAILURE, why));
        return shown;
    }

    /// By the targets that say it.
    private static Map<String, String> said(Map<String, Optional<ObjectNode>> answers, String field) {
        var said = new TreeMap<String, String>();
        answers.forEach((target, answer) -> answer.filter(shown -> shown.has(field))
                .ifPresent(shown -> said.put(target, shown.path(field).asText())));
        return said;
    }

    /// Targets that say the same are named together.
    private static String text(Map<String, String> said) {
        var targets = said.entrySet().stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getValue,
                        TreeMap::new,
                        Collectors.mapping(Map.Entry::getKey, Collectors.joining(", "))));
        return targets.entrySet().stream()
                .map(group -> group.getValue() + ": " + group.getKey())
                .collect(Collectors.joining("; "));
    }
}
