package dev.sluice.common.auth;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// A bucket's policy: what everyone may do without credentials, and what nobody may. Immutable. A document that says
/// anything this cannot honour is refused when it is put, never accepted and ignored.
public final class BucketPolicy {
    /// S3's own limit of a policy document.
    public static final int LARGEST = 20 * 1024;

    public static final BucketPolicy NONE = new BucketPolicy(List.of());

    /// Forbids everything but the calls on the policy itself, which no policy can forbid.
    public static final BucketPolicy CLOSED =
            new BucketPolicy(List.of(new Statement(false, List.of(new Wildcard("*")), List.of(new Wildcard("*")))));

    private static final String ARN = "arn:aws:s3:::";
    private static final Set<String> VERSIONS = Set.of("2012-10-17", "2008-10-17");
    private static final Set<String> NOT_SERVED = Set.of("Condition", "NotPrincipal", "NotAction", "NotResource");

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final List<Statement> statements;

    private record Statement(boolean allow, List<Wildcard> actions, List<Wildcard> resources) {
        boolean concerns(String action, String resource) {
            return actions.stream().anyMatch(each -> each.matches(action))
                    && resources.stream().anyMatch(each -> each.matches(resource));
        }
    }

    private BucketPolicy(List<Statement> statements) {
        this.statements = statements;
    }

    /// @param action as in policies: `s3:GetObject`
    /// @param key empty for an action on the bucket itself
    public boolean allowsAnonymous(String action, String bucket, String key) {
        var lower = action.toLowerCase(Locale.ROOT);
        var resource = resource(bucket, key);
        boolean allowed = false;
        for (var statement : statements) {
            if (statement.concerns(lower, resource)) {
                if (!statement.allow()) {
                    return false;
                }
                allowed = true;
            }
        }
        return allowed;
    }

    /// Whether it grants anything to everyone.
    public boolean isPublic() {
        return statements.stream().anyMatch(Statement::allow);
    }

    /// True when the policy forbids this to everybody, also to those who signed.
    public boolean denies(String action, String bucket, String key) {
        var lower = action.toLowerCase(Locale.ROOT);
        var resource = resource(bucket, key);
        return statements.stream().anyMatch(each -> !each.allow() && each.concerns(lower, resource));
    }

    private static String resource(String bucket, String key) {
        return key.isEmpty() ? ARN + bucket : ARN + bucket + "/" + key;
    }

    /// @throws S3Failure MalformedPolicy when the document is not a policy of this bucket, NotImplemented when it is
    ///     one that this cannot honour
    public static BucketPolicy parse(String bucket, byte[] document) {
        if (document.length > LARGEST) {
            throw malformed("the document is larger than " + LARGEST + " bytes");
        }
        JsonNode root;
        try {
            root = MAPPER.readTree(document);
        } catch (JacksonException e) {
            throw malformed("the document is not valid JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw malformed("the document is not valid JSON: " + e.getMessage());
        }
        if (!root.isObject()) {
            throw malformed("the document is not a JSON object");
        }
        refuseUnknown(root, Set.of("Version", "Id", "Statement"));
        if (root.has("Version") && !VERSIONS.contains(root.path("Version").asText())) {
            throw malformed("Version must be 2012-10-17 or 2008-10-17");
        }
        var given = root.path("Statement");
        if (!given.isObject() && (!given.isArray() || given.isEmpty())) {
            throw malformed("Statement is missing or empty");
        }
        var statements = new ArrayList<Statement>();
        if (given.isObject()) {
            statements.add(statement(bucket, given));
        } else {
            given.forEach(each -> statements.add(statement(bucket, each)));
        }
        return new BucketPolicy(List.copyOf(statements));
    }

    private static Statement statement(String bucket, JsonNode given) {
        if (!given.isObject()) {
            throw malformed("a Statement is not a JSON object");
        }
        for (var element : NOT_SERVED) {
            if (given.has(element)) {
                throw notServed("the policy element " + element);
            }
        }
        refuseUnknown(given, Set.of("Sid", "Effect", "Principal", "Action", "Resource"));
        var effect = given.path("Effect").asText();
        if (!effect.equals("Allow") && !effect.equals("Deny")) {
            throw malformed("Effect must be Allow or Deny");
        }
        checkPrincipal(given.path("Principal"));
        var actions = texts(given, "Action").stream().map(BucketPolicy::action).toList();
        var resources = texts(given, "Resource").stream()
                .map(resource -> resource(bucket, new Wildcard(resource)))
                .toList();
        return new Statement(effect.equals("Allow"), actions, resources);
    }

    private static void checkPrincipal(JsonNode principal) {
        if (principal.isTextual() && principal.asText().equals("*")) {
            return;
        }
        if (!principal.isObject() || principal.isEmpty()) {
            throw malformed("Principal is missing or invalid");
        }
        principal.properties().forEach(entry -> {
            if (!entry.getKey().equals("AWS")) {
                throw notServed("a Principal of the kind " + entry.getKey());
            }
        });
        for (var each : texts(principal, "AWS")) {
            if (!each.equals("*")) {
                throw notServed("a Principal other than \"*\" (" + each + ")");
            }
        }
    }

    /// Actions compare without regard to case.
    private static Wildcard action(String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        if (!lower.equals("*") && (!lower.startsWith("s3:") || lower.length() == 3)) {
            throw malformed("Action " + text + " is not one of s3");
        }
        return new Wildcard(lower);
    }

    private static Wildcard resource(String bucket, Wildcard resource) {
        var text = resource.pattern();
        if (text.contains("${")) {
            throw notServed("a policy variable in Resource (" + text + ")");
        }
        if (!text.equals(ARN + bucket) && !text.startsWith(ARN + bucket + "/")) {
            throw malformed("Resource " + text + " is not in the bucket " + bucket);
        }
        return resource;
    }

    /// One text or a list of them.
    private static List<String> texts(JsonNode parent, String element) {
        var given = parent.path(element);
        var texts = new ArrayList<String>();
        if (given.isTextual()) {
            texts.add(given.asText());
        } else if (given.isArray()) {
            given.forEach(each -> {
                if (!each.isTextual()) {
                    throw malformed(element + " holds something that is no text");
                }
                texts.add(each.asText());
            });
        }
        if (texts.isEmpty()) {
            throw malformed(element + " is missing or empty");
        }
        return texts;
    }

    private static void refuseUnknown(JsonNode node, Set<String> known) {
        node.properties().forEach(entry -> {
            if (!known.contains(entry.getKey())) {
                throw malformed("unknown element " + entry.getKey());
            }
        });
    }

    private static S3Failure malformed(String what) {
        return new S3Failure(S3Code.MALFORMED_POLICY, "The policy cannot be used: " + what + ".");
    }

    private static S3Failure notServed(String what) {
        return new S3Failure(S3Code.NOT_IMPLEMENTED, "Sluice does not honour " + what + ".");
    }
}
