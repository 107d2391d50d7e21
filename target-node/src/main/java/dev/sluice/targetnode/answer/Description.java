package dev.sluice.targetnode.answer;

import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.answer.AttributesXml;
import dev.sluice.common.s3.answer.SettingXml;
import dev.sluice.targetnode.storage.record.FromParts;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/// What is told of an object instead of its bytes: a document.
public sealed interface Description {
    ByteBuffer of(ObjectAnswer.Known object);

    /// What GetObjectAttributes asks for.
    record Attributes(S3Request.GetObjectAttributes request) implements Description {
        @Override
        public ByteBuffer of(ObjectAnswer.Known object) {
            return AttributesXml.of(
                    request,
                    new AttributesXml.Attributes(
                            object.etag(),
                            object.size(),
                            object.checksums(),
                            object.parts().map(Attributes::parts)));
        }

        private static AttributesXml.Parts parts(FromParts parts) {
            var listed = parts.checksums().isEmpty()
                    ? List.<AttributesXml.Part>of()
                    : IntStream.range(0, parts.count())
                            .mapToObj(i -> new AttributesXml.Part(
                                    parts.number(i), parts.sizes().get(i), parts.checksumsOf(i)))
                            .toList();
            return new AttributesXml.Parts(parts.count(), listed);
        }
    }

    /// Its tags.
    record Tagging() implements Description {
        @Override
        public ByteBuffer of(ObjectAnswer.Known object) {
            return SettingXml.tagging(Tags.among(object.headers()));
        }
    }
}
