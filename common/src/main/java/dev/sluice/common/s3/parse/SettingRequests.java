package dev.sluice.common.s3.parse;

import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.BucketSetting;
import dev.sluice.common.s3.S3Request;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Questions about what is not configured.
final class SettingRequests {
    private static final Map<String, BucketSetting> SETTINGS = Arrays.stream(BucketSetting.values())
            .collect(Collectors.toUnmodifiableMap(BucketSetting::parameter, Function.identity()));

    private SettingRequests() {}

    /// Of a GET.
    static Optional<S3Request> parse(Address address, Query query) {
        for (int i = 0; i < query.size(); i++) {
            var parameter = query.name(i);
            var question = switch (address) {
                case Address.Bucket(var bucket)
                when parameter.equals("versions") -> Optional.<S3Request>of(BucketRequests.versions(bucket, query));
                case Address.Bucket(var bucket) ->
                    Optional.ofNullable(SETTINGS.get(parameter))
                            .<S3Request>map(
                                    setting -> new S3Request.GetBucketSetting(bucket, setting, query.first("id")));
                case Address.Key(var name) -> ofObject(name, parameter);
                case Address.Service() -> Optional.<S3Request>empty();
            };
            if (question.isPresent()) {
                query.first("versionId").ifPresent(NotServed::refuseVersion);
                return question;
            }
        }
        return Optional.empty();
    }

    private static Optional<S3Request> ofObject(ObjectName name, String parameter) {
        return switch (parameter) {
            case "acl" -> Optional.of(new S3Request.GetObjectAcl(name));
            case "tagging" -> Optional.of(new S3Request.GetObjectTagging(name));
            default -> Optional.empty();
        };
    }
}
