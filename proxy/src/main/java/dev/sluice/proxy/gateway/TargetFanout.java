package dev.sluice.proxy.gateway;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/// Asks the targets that are meant, all at once. A target that does not answer is an `error` in its place, not a
/// failure of the others.
public final class TargetFanout {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClusterViews views;
    private final Targets targets;

    public TargetFanout(ClusterViews views, Targets targets) {
        this.views = views;
        this.targets = targets;
    }

    /// @param only the one target that is meant; empty: all
    /// @param question what a target shows; nothing when it is not concerned
    /// @throws StoreException.InvalidArgument when there is no such target
    public ArrayNode ask(Optional<String> only, Function<TargetService, Optional<ObjectNode>> question) {
        var nodes = views.current().routing().targets().stream()
                .filter(node -> only.isEmpty() || only.get().equals(node.id().value()))
                .toList();
        if (nodes.isEmpty()) {
            throw new StoreException.InvalidArgument("There is no target " + only.orElse("in the cluster"));
        }
        var answers = JSON.createArrayNode();
        answers(nodes, question)
                .forEach((id, answer) -> answer.ifPresent(shown -> answers.add(shown.put("target", id))));
        return answers;
    }

    /// By the targets' ids.
    public Map<String, Optional<ObjectNode>> answers(Function<TargetService, Optional<ObjectNode>> question) {
        return answers(views.current().routing().targets(), question);
    }

    private Map<String, Optional<ObjectNode>> answers(
            List<Node> nodes, Function<TargetService, Optional<ObjectNode>> question) {
        return answers(
                nodes, question, failure -> Optional.of(JSON.createObjectNode().put("error", failure.getMessage())));
    }

    /// @param failed what stands for a target that does not answer
    public <T> Map<String, T> answers(Function<TargetService, T> question, Function<StoreException, T> failed) {
        return answers(views.current().routing().targets(), question, failed);
    }

    /// Of those that are not known to be down.
    public <T> Map<String, T> answersOfLiving(Function<TargetService, T> question, Function<StoreException, T> failed) {
        return answers(views.current().living(), question, failed);
    }

    private <T> Map<String, T> answers(
            List<Node> nodes, Function<TargetService, T> question, Function<StoreException, T> failed) {
        var answers = new TreeMap<String, T>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<T>>();
            for (var node : nodes) {
                running.add(threads.submit(() -> answerOf(node, question, failed)));
            }
            for (int i = 0; i < nodes.size(); i++) {
                answers.put(nodes.get(i).id().value(), Await.task(running.get(i)));
            }
            return answers;
        }
    }

    private <T> T answerOf(Node node, Function<TargetService, T> question, Function<StoreException, T> failed) {
        try {
            return question.apply(targets.of(node));
        } catch (StoreException failure) {
            return failed.apply(failure);
        }
    }

    public static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
