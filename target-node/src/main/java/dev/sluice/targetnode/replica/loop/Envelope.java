package dev.sluice.targetnode.replica.loop;

import dev.sluice.targetnode.replica.core.Message;
import java.util.Optional;

/// A message with its way, and what a prepared write brings.
///
/// @param from the drive that sends it
/// @param to the drive it is for
/// @param attached of a [Message.Prepare] that stores an object
public record Envelope(int group, int slot, String from, String to, Message message, Optional<Attached> attached) {

    /// The object of a prepared write.
    ///
    /// @param record as [RecordBytes] has it
    /// @param content its bytes when they are few; else they are to be fetched
    /// @param arrivedAs the name in the [Message.Arriving] of before; empty when there was none
    @SuppressWarnings("ArrayRecordComponent") // made once, read once
    public record Attached(byte[] record, Optional<byte[]> content, Optional<String> arrivedAs) {
        public Attached(byte[] record, Optional<byte[]> content) {
            this(record, content, Optional.empty());
        }
    }
}
