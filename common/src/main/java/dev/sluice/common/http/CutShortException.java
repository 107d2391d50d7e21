package dev.sluice.common.http;

import java.io.IOException;

/// There are no more bytes for a body, for a reason that is nobody's fault: the answer is cut off.
public final class CutShortException extends IOException {
    private static final long serialVersionUID = 1L;

    public CutShortException(String why) {
        super(why);
    }
}
