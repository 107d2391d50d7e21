package dev.sluice.targetnode.answer;

import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.answer.AttributesXml;
import dev.sluice.common.s3.answer.SettingXml;
import dev.sluice.targetnode.storage.record.FromParts;
import java.nio.ByteBuffer;

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
            return new AttributesXml.Parts() {
                @Override
                public int count() {
                    return parts.count();
                }

                @Override
                public boolean listed() {
                    return parts.checksums().isPresent();
                }

                @Override
                public int number(int index) {
                    return parts.number(index);
                }

                @Override
                public AttributesXml.Part part(int index) {
                    return new AttributesXml.Part(number(index), parts.sizes().get(index), parts.checksumsOf(index));
                }
            };
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
