package dev.sluice.common.http.engine;

import dev.sluice.common.http.RequestHead;
import java.util.List;

/// Which kinds of request a server tells apart in its metrics.
public interface Operations {
    Operations NOT_TOLD_APART = new Operations() {
        @Override
        public List<String> names() {
            return List.of("any");
        }

        @Override
        public String of(RequestHead head) {
            return "any";
        }
    };

    /// What the metrics call them.
    List<String> names();

    /// One of [#names]. Called for every request on its event loop: must be cheap.
    String of(RequestHead head);
}
