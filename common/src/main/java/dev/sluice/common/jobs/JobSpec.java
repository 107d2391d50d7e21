package dev.sluice.common.jobs;

import java.util.Optional;

/// What a job is to do.
///
/// @param prefix of the keys it works on; empty for the whole bucket
/// @param template names the keys instead ([NameTemplate]); the prefix is empty then
/// @param dryRun it only counts what it would do
public record JobSpec(
        JobKind kind, String bucket, long bucketId, String prefix, Optional<String> template, boolean dryRun) {
    /// For the record of a job that has ended.
    JobSpec shortened(int selectionBytes) {
        return new JobSpec(
                kind,
                bucket,
                bucketId,
                ShortText.of(prefix, selectionBytes),
                template.map(text -> ShortText.of(text, selectionBytes)),
                dryRun);
    }
}
