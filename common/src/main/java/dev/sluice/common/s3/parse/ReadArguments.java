package dev.sluice.common.s3.parse;

import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.ShardMember;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What the query of a GET says about its answer.
public final class ReadArguments {
    private static final String SAMPLE = "sample";
    private static final String COUNT = "count";
    private static final String SAMPLES = "samples";
    private static final Set<String> NAMES = Set.of("partNumber", "versionId", SAMPLE, COUNT, SAMPLES);

    private ReadArguments() {}

    /// As one text: a redirect's token is for that answer only. The same however a client writes and orders the
    /// parameters; empty when there are none.
    ///
    /// @param query still percent-encoded
    public static String of(String query) {
        var parsed = Query.parse(query);
        var arguments = new ArrayList<String>();
        for (int i = 0; i < parsed.size(); i++) {
            var name = parsed.name(i);
            if (name.startsWith("response-") || NAMES.contains(name)) {
                arguments.add(name + "=" + parsed.value(i));
            }
        }
        arguments.sort(null);
        return String.join("\n", arguments);
    }

    /// What it says about samples: `sample=N`, `sample=N&count=K`, or `samples`.
    static Optional<ShardMember> member(Query query) {
        if (query == Query.EMPTY) {
            return Optional.empty();
        }
        boolean sample = query.has(SAMPLE);
        boolean samples = query.has(SAMPLES);
        if (!sample && !samples) {
            return Optional.empty(); // a count alone is nobody's, as any parameter that S3 does not know
        }
        if (sample && samples) {
            throw S3Failure.invalidRequest("Cannot specify both sample and samples");
        }
        if (query.has("partNumber")) {
            throw S3Failure.invalidRequest("Cannot specify both partNumber and samples of a shard");
        }
        if (samples) {
            return Optional.of(new ShardMember.Count());
        }
        int first = number(SAMPLE, query.text(SAMPLE), 0);
        int count = query.has(COUNT) ? number(COUNT, query.text(COUNT), 1) : 1;
        return Optional.of(new ShardMember.Samples(first, count));
    }

    /// A URL presigned with SigV2 covers no samples: the whole shard is not what was asked for.
    static void requireSigned(Query all, Query signed) {
        for (var name : List.of(SAMPLE, SAMPLES)) {
            if (all.has(name) && !signed.has(name)) {
                throw S3Failure.notImplemented("samples of a shard in a URL presigned with SigV2: use SigV4");
            }
        }
    }

    /// Only a GET has samples.
    static void refuseMember(Query query) {
        if (query != Query.EMPTY && (query.has(SAMPLE) || query.has(SAMPLES))) {
            throw S3Failure.invalidRequest("Samples of a shard are asked for with GET");
        }
    }

    private static int number(String name, String text, int least) {
        try {
            int value = Integer.parseInt(text);
            if (value >= least) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Said below, like a number out of range.
        }
        throw S3Failure.invalidArgument(
                name, text, "%s must be an integer between %d and %d".formatted(name, least, Integer.MAX_VALUE));
    }
}
