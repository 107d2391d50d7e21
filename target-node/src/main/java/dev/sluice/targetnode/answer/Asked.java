package dev.sluice.targetnode.answer;

import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.targetnode.expiry.ExpiryDates;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What GetObject and HeadObject have in common.
///
/// @param cached whether the bucket is a cached one
/// @param description what is asked of the object instead of its bytes
/// @param tags whether the tags are asked for, too
/// @param expiry what is told of the time when the object is deleted
public record Asked(
        Optional<ByteRange> range,
        Conditions conditions,
        Optional<Integer> partNumber,
        boolean checksumMode,
        SortedMap<String, String> overrides,
        boolean cached,
        Optional<ShardMember> member,
        Optional<Description> description,
        boolean tags,
        ExpiryDates.Telling expiry) {
    private static final Optional<ByteRange> FIRST_BYTE = Optional.of(new ByteRange.FromTo(0, 0));

    /// With what a node, or the bucket's rules, ask of the answer besides.
    public static Asked of(S3Request.GetObject get, ObjectCall call, ExpiryDates dates) {
        var asked = of(get, call.bucket().backed()).telling(dates.of(call.bucket(), call.key()));
        return call.asksForTags() ? asked.withTags() : asked;
    }

    public static Asked of(S3Request.HeadObject head, ObjectCall call, ExpiryDates dates) {
        return of(head, call.bucket().backed()).telling(dates.of(call.bucket(), call.key()));
    }

    public static Asked of(S3Request.GetObject get, boolean cached) {
        return new Asked(
                get.range(),
                get.conditions(),
                get.partNumber(),
                get.checksumMode(),
                get.overrides(),
                cached,
                get.member(),
                Optional.empty(),
                false,
                ExpiryDates.Telling.NOTHING);
    }

    public static Asked of(S3Request.HeadObject head, boolean cached) {
        return new Asked(
                head.range(),
                head.conditions(),
                head.partNumber(),
                head.checksumMode(),
                head.overrides(),
                cached,
                Optional.empty(),
                Optional.empty(),
                false,
                ExpiryDates.Telling.NOTHING);
    }

    public static Asked of(Description description, boolean cached) {
        return new Asked(
                Optional.empty(),
                Conditions.NONE,
                Optional.empty(),
                false,
                new TreeMap<>(),
                cached,
                Optional.empty(),
                Optional.of(description),
                false,
                ExpiryDates.Telling.NOTHING);
    }

    /// The whole, where If-Range asks first what the object is: that is right whatever it is.
    public Asked unlessUncertain() {
        return conditions.ifRange().isEmpty() ? this : whole();
    }

    Asked whole() {
        return new Asked(
                Optional.empty(),
                conditions,
                partNumber,
                checksumMode,
                overrides,
                cached,
                member,
                description,
                tags,
                expiry);
    }

    private Asked withTags() {
        return new Asked(
                range, conditions, partNumber, checksumMode, overrides, cached, member, description, true, expiry);
    }

    private Asked telling(ExpiryDates.Telling anExpiry) {
        return anExpiry.equals(expiry)
                ? this
                : new Asked(
                        range,
                        conditions,
                        partNumber,
                        checksumMode,
                        overrides,
                        cached,
                        member,
                        description,
                        tags,
                        anExpiry);
    }

    /// Exactly `bytes=0-0`: in a HEAD the request to begin the object's fill.
    public boolean firstByte() {
        return range.equals(FIRST_BYTE);
    }
}
