package dev.sluice.common.jobs;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a job does with each object of its selection. The kind of a newer node is kept as it is, so that a state goes
/// through an older one unchanged; the older one does not run such a job.
///
/// @param text as users write it
public record JobKind(String text) {
    /// Stores objects of a cloud bucket here before a client asks for them.
    public static final JobKind PREFETCH = new JobKind("prefetch");

    /// Removes cached objects from here, never from the cloud.
    public static final JobKind EVICT = new JobKind("evict");

    /// Compares cached objects with the cloud's, and brings what has changed there.
    public static final JobKind REFRESH = new JobKind("refresh");

    /// Finds out where the samples of shards are before a client asks for them.
    public static final JobKind INDEX = new JobKind("index");

    /// Those that this node can start and run.
    public static final List<JobKind> KNOWN = List.of(PREFETCH, EVICT, REFRESH, INDEX);

    public static Optional<JobKind> of(String text) {
        return KNOWN.stream().filter(kind -> kind.text.equals(text)).findFirst();
    }

    /// The known ones, for messages.
    public static String names() {
        return KNOWN.stream().map(JobKind::text).collect(Collectors.joining(", "));
    }

    @JsonCreator
    static JobKind stored(String text) {
        return new JobKind(text.toLowerCase(Locale.ROOT));
    }

    @JsonValue
    String stored() {
        return text.toUpperCase(Locale.ROOT);
    }
}
