package dev.sluice.cli.demo.live;

import dev.sluice.cli.demo.dataset.ShardStore;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.s3.S3Client;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// A bucket over S3. How it is made is said by the one who knows whether a cloud stands behind it, who may also
/// add to a failure what the user can do about it.
final class S3ShardStore implements ShardStore {
    private final S3Client client;
    private final String bucket;
    private final Runnable creation;
    private final String hint;

    S3ShardStore(S3Client client, String bucket, Runnable creation, String hint) {
        this.client = client;
        this.bucket = bucket;
        this.creation = creation;
        this.hint = hint;
    }

    @Override
    public void createBucket() throws IOException {
        orFail(() -> {
            creation.run();
            return bucket;
        });
    }

    @Override
    public void put(String key, Path file) throws IOException {
        orFail(() -> client.put(bucket, key, file, _ -> {}));
    }

    @Override
    public InputStream open(String key) throws IOException {
        return orFail(() -> client.get(bucket, key)).body();
    }

    @Override
    public List<String> list() throws IOException {
        var keys = new ArrayList<String>();
        return orFail(() -> {
            client.list(bucket, "", Optional.empty(), object -> keys.add(object.key()));
            return keys;
        });
    }

    private <T> T orFail(Supplier<T> call) throws IOException {
        try {
            return call.get();
        } catch (CommandFailure failure) {
            throw new IOException(failure.reason() + hint, failure);
        }
    }
}
