package dev.sluice.targetnode.answer;

import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.answer.SettingXml;
import java.nio.ByteBuffer;

/// What is told of an object instead of its bytes: a document.
public sealed interface Description {
    ByteBuffer of(ObjectAnswer.Known object);

    /// Its tags.
    record Tagging() implements Description {
        @Override
        public ByteBuffer of(ObjectAnswer.Known object) {
            return SettingXml.tagging(Tags.among(object.headers()));
        }
    }
}
