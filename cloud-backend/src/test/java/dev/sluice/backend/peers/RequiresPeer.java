package dev.sluice.backend.peers;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/// These tests need peers: without one of them they are skipped, with a line on the console naming it, or fail
/// when `SLUICE_REQUIRE_PEERS=1`.
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("peers")
@ExtendWith(PeerCondition.class)
public @interface RequiresPeer {
    /// Names as `deploy/peers path` knows them.
    String[] value();
}
