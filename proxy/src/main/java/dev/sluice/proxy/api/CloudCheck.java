package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.peer.BackendCheck;
import dev.sluice.proxy.gateway.TargetFanout;
import java.util.Map;

/// Asks the cloud behind a bucket from every target, and says what to do when it wants other credentials.
final class CloudCheck {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TargetFanout targets;

    CloudCheck(TargetFanout targets) {
        this.targets = targets;
    }

    /// `targets`: those that cannot use the cloud, each with its `failure`; `next` where other credentials would help.
    /// A target that does not answer is left out.
    ObjectNode ask(Bucket bucket, BackendSpec spec) {
        var checks = targets.answers(target -> target.checkBackend(spec), _ -> BackendCheck.passed());
        var shown = JSON.createObjectNode();
        var failed = shown.putArray("targets");
        checks.forEach((target, check) -> check.failure()
                .ifPresent(why -> failed.addObject().put("target", target).put("failure", why)));
        boolean refused = checks.entrySet().stream().map(Map.Entry::getValue).anyMatch(BackendCheck::wantsCredentials);
        return shown.put("next", refused ? next(bucket.name(), spec) : null);
    }

    private static String next(String bucket, BackendSpec spec) {
        if (spec.via().isPresent()) {
            return ("correct the credentials of [backends.%s] in the settings of every node (access_key and secret_key,"
                            + " profile, or credentials_file), then restart the nodes")
                    .formatted(spec.via().get());
        }
        if (spec.profile().isPresent() && !spec.profile().get().equals("anonymous")) {
            return "on the machine of each target: aws configure --profile %s; then restart the targets"
                    .formatted(spec.profile().get());
        }
        if (spec.profile().isPresent()) {
            return ("put a [backends.NAME] with credentials into the settings of every node and restart the nodes, then:"
                            + " sluice bucket rm %s --force (the cloud bucket stays); sluice bucket create %s --backend %s"
                            + " --via NAME")
                    .formatted(bucket, bucket, spec.url());
        }
        if (spec.endpoint().isPresent()) {
            return ("correct the credentials of the [backends.NAME] with endpoint = \"%s\" in the settings of every"
                            + " node, then restart the nodes")
                    .formatted(spec.endpoint().get());
        }
        return "on the machine of each target: %s; then restart the targets"
                .formatted(spec.url().startsWith("gs:") ? "gcloud auth application-default login" : "aws configure");
    }
}
