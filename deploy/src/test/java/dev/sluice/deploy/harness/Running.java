package dev.sluice.deploy.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/// Gives a parameter of type [SluiceCluster] the one cluster of that mode that all tests of the run share.
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SharedClusters.class)
public @interface Running {
    /// The name under which the nodes of these clusters find the keys of the tests' cloud.
    String PROFILE = "tests-cloud";

    /// Keys that the cloud refuses.
    String STRANGER = "tests-stranger";

    Mode value();
}
