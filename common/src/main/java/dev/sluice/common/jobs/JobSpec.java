package dev.sluice.common.jobs;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a job is to do.
///
/// @param prefix of the keys it works on; empty for the whole bucket
/// @param template names the keys instead ([NameTemplate]); the prefix is empty then
/// @param list names the keys instead; prefix and template are empty then
/// @param dryRun it only counts what it would do
public record JobSpec(
        JobKind kind,
        String bucket,
        long bucketId,
        String prefix,
        Optional<String> template,
        Optional<NameList> list,
        boolean dryRun) {
    /// Without a list.
    public JobSpec(
            JobKind kind, String bucket, long bucketId, String prefix, Optional<String> template, boolean dryRun) {
        this(kind, bucket, bucketId, prefix, template, Optional.empty(), dryRun);
    }

    /// @param list missing in states of builds without lists
    @JsonCreator
    static JobSpec read(
            @JsonProperty("kind") JobKind kind,
            @JsonProperty("bucket") String bucket,
            @JsonProperty("bucketId") long bucketId,
            @JsonProperty("prefix") String prefix,
            @JsonProperty("template") Optional<String> template,
            @JsonProperty("list") @Nullable NameList list,
            @JsonProperty("dryRun") boolean dryRun) {
        return new JobSpec(kind, bucket, bucketId, prefix, template, Optional.ofNullable(list), dryRun);
    }

    /// For the record of a job that has ended.
    JobSpec shortened(int selectionBytes) {
        return new JobSpec(
                kind,
                bucket,
                bucketId,
                ShortText.of(prefix, selectionBytes),
                template.map(text -> ShortText.of(text, selectionBytes)),
                list.map(NameList::shortened),
                dryRun);
    }
}
