package dev.sluice.common.jobs;

/// An object that a job could not work on.
///
/// @param why at most [#WHY_BYTES]
public record JobFailure(String key, String why) {
    static final int WHY_BYTES = 200;

    public JobFailure {
        why = ShortText.of(why, WHY_BYTES);
    }

    /// Bytes in JSON, at most.
    int length() {
        return ShortText.length(key) + ShortText.length(why) + "{\"key\":\"\",\"why\":\"\"},".length();
    }
}
