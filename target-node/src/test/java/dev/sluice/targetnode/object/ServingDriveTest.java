package dev.sluice.targetnode.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.Received;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.storage.Lookup;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.replicas.Replicas;
import dev.sluice.targetnode.storage.replicas.StagedObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A key's slot moves from one drive of a target to another one, which does not have the key. The first stays open.
@Timeout(60)
class ServingDriveTest {
    private static final String KEY = "a";

    @TempDir
    private Path folder;

    private TargetFixture target;

    /// Lends its drive.
    private TargetFixture other;

    private Drive serving;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder.resolve("target"));
        other = new TargetFixture(folder.resolve("other"));
        serving = drive(target);
        target.put(target.own(), KEY, TargetFixture.random(1, 300));
        target.store().replicate(new Moving());
    }

    @AfterEach
    void close() {
        target.close();
        other.close();
    }

    private static Drive drive(TargetFixture of) {
        return of.store().drives().reading().getFirst();
    }

    /// This target is the primary of everything all the time.
    private final class Moving implements Replicas {
        @Override
        public boolean serves(long bucketId, String key) {
            return true;
        }

        @Override
        public Serving serving(long bucketId, String key) {
            var now = serving;
            return new Serving() {
                @Override
                public Drive drive() {
                    return now;
                }

                @Override
                public boolean holds() {
                    return true;
                }

                @Override
                public ObjectRecord put(BucketRef bucket, String key, StagedObject object, WriteCheck check) {
                    throw new IllegalStateException("nothing is written");
                }

                @Override
                public boolean delete(BucketRef bucket, String key, WriteCheck check) {
                    throw new IllegalStateException("nothing is deleted");
                }
            };
        }

        @Override
        public ServedSlots served(long bucketId) {
            throw new IllegalStateException("nothing is listed");
        }

        @Override
        public boolean mend(BucketRef bucket, String key, String drive) {
            throw new IllegalStateException("nothing is damaged");
        }

        @Override
        public void mendLater(BucketRef bucket, String key, String drive) {
            throw new IllegalStateException("nothing is damaged");
        }
    }

    private Bucket replicated() {
        var own = target.own();
        return new Bucket(
                own.id(), own.name(), own.createdMillis(), 0, own.properties().withReplicas(2), 1);
    }

    private Answer get() {
        var request = new S3Request.GetObject(
                new ObjectName("own", KEY),
                Optional.empty(),
                Conditions.NONE,
                Optional.empty(),
                false,
                new TreeMap<>());
        return target.handlers().object(TargetFixture.call(request, replicated(), 0));
    }

    private static Response response(Answer answer) {
        return (Response) (answer instanceof Blocking(var work) ? work.run(ByteSource.empty()) : answer);
    }

    private Lookup lookup() {
        return target.store().lookup(BucketRefs.of(replicated()), KEY);
    }

    private void read() {
        assertThat(Received.of(response(get())).status()).isEqualTo(200);
        var hot = get();
        assertThat(hot).as("answered at once").isInstanceOf(Response.class);
        assertThat(Received.of((Response) hot).status()).isEqualTo(200);
    }

    @Test
    void hotObjectOfADriveThatServesNoLongerIsNotAnswered() {
        read();
        serving = drive(other);
        assertThatThrownBy(() -> response(get())).isInstanceOf(StoreException.NoSuchKey.class);
        serving = drive(target);
        read();
    }

    @Test
    void hotObjectOfADriveThatServesNoLongerIsNotFound() {
        read();
        serving = drive(other);
        assertThat(lookup()).isInstanceOf(Lookup.Miss.class);
    }
}
