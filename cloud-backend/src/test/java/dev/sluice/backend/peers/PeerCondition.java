package dev.sluice.backend.peers;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

final class PeerCondition implements ExecutionCondition {
    /// The console itself: what tests print to System.err goes to a file.
    private static final PrintStream CONSOLE =
            new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        var names = AnnotationSupport.findAnnotation(context.getElement(), RequiresPeer.class)
                .map(RequiresPeer::value)
                .orElse(new String[0]);
        var missing = Arrays.stream(names)
                .map(Peers::find)
                .filter(Peers.Missing.class::isInstance)
                .map(Peers.Missing.class::cast)
                .findFirst();
        if (missing.isEmpty()) {
            return ConditionEvaluationResult.enabled("every peer is there");
        }
        if (Peers.required()) {
            throw new AssertionError(missing.get().says() + " (and SLUICE_REQUIRE_PEERS=1)");
        }
        CONSOLE.println(
                "skipped: " + context.getDisplayName() + ": " + missing.get().says());
        return ConditionEvaluationResult.disabled(missing.get().says());
    }
}
