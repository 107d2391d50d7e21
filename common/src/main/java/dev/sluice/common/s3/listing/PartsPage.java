package dev.sluice.common.s3.listing;

import dev.sluice.common.s3.S3Request;
import java.util.Comparator;
import java.util.List;

/// One page of the parts of an upload.
///
/// @param next the number of the last part on the page, from which the next page goes on; 0 when there is none
public record PartsPage(List<ListedPart> parts, boolean truncated, int next) {
    public PartsPage {
        parts = List.copyOf(parts);
    }

    /// @param all every part of the upload, in any order
    public static PartsPage of(List<ListedPart> all, S3Request.ListParts request) {
        var rest = all.stream()
                .filter(part -> part.partNumber() > request.partNumberMarker())
                .sorted(Comparator.comparingInt(ListedPart::partNumber))
                .toList();
        var parts = rest.subList(0, Math.min(rest.size(), request.maxParts()));
        return new PartsPage(
                parts,
                !parts.isEmpty() && parts.size() < rest.size(),
                parts.isEmpty() ? 0 : parts.getLast().partNumber());
    }
}
