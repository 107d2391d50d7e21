package dev.sluice.backend;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import java.util.Optional;

/// A cloud bucket. Blocking calls for virtual threads; any number at once.
///
/// Every failure is a [StoreException]: NoSuchKey, NoSuchBucket, PreconditionFailed, RangeNotSatisfiable, BadDigest,
/// IncompleteBody, InvalidArgument, BackendDenied, BackendUnavailable. Keys are used whole: an address' prefix is
/// put before them, and taken off in listings.
public interface Backend extends AutoCloseable {
    BackendAddress address();

    /// With which credentials requests are made, for people; holds no secret. May ask where credentials are.
    String identity();

    /// How short connections to it are: from 0 for plenty to 1 for none. Never blocks.
    double shortage();

    BackendObject head(String key);

    /// One request to the cloud, whose body is not kept anywhere: reading it is what moves it. The caller closes the
    /// stream; until then it holds one of the backend's connections.
    ///
    /// @throws StoreException.PreconditionFailed when `read` asks for another version than the bucket has
    BackendStream get(String key, BackendRead read);

    /// Writes an object in one go; returns when the cloud has it. The body is read once and never buffered whole, so
    /// nothing is tried again after its first byte.
    ///
    /// @param length the body's exact number of bytes
    /// @param body closed here, whatever happens
    /// @param attributes headers and user metadata are kept with the object; a promised checksum or MD5 goes
    ///     along for the cloud to compare
    /// @return what the cloud knows of the new object, with its size and version
    BackendObject put(String key, long length, ByteSource body, WriteAttributes attributes, WriteCondition condition);

    /// The tags of an object; empty where it keeps none, or does not show them.
    Optional<Tags> tags(String key);

    /// Whether `x-amz-tagging` among an object's headers becomes its tags.
    boolean keepsTags();

    /// Whether [#put] can ask it to encrypt an object; then its answer tells the encryption, if the cloud does.
    boolean encryptsOnRequest();

    /// Deletes an object; one that is not there is no failure.
    void delete(String key);

    /// Keys and common prefixes greater than `after`, in the order of their UTF-8 bytes.
    ///
    /// @param delimiter keys that contain it after the prefix are rolled up; empty for none
    /// @param after empty to start at the beginning
    BackendPage list(String prefix, String delimiter, String after, int max);

    @Override
    void close();
}
