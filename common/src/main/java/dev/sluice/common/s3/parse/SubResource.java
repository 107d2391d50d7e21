package dev.sluice.common.s3.parse;

import dev.sluice.common.s3.S3Failure;

/// The parameter of a query that says which action is meant, among those we serve.
enum SubResource {
    NONE(""),
    DELETE("delete"),
    LOCATION("location"),
    POLICY("policy"),
    UPLOADS("uploads"),
    UPLOAD_ID("uploadId"),
    VERSIONING("versioning");

    private final String parameter;

    SubResource(String parameter) {
        this.parameter = parameter;
    }

    static SubResource of(Query query) {
        var found = NONE;
        for (int i = 0; i < query.size(); i++) {
            var here = ofParameter(query.name(i));
            if (here != NONE && found != NONE && here != found) {
                throw S3Failure.invalidArgument(
                        "Conflicting query string parameters: " + found.parameter + ", " + here.parameter);
            }
            found = here == NONE ? found : here;
        }
        return found;
    }

    /// Refuses every other one: it has no meaning on this resource.
    void only(SubResource expected, String allow) {
        if (this != expected) {
            throw S3Failure.methodNotAllowed(allow);
        }
    }

    private static SubResource ofParameter(String name) {
        return switch (name) {
            case "delete" -> DELETE;
            case "location" -> LOCATION;
            case "policy" -> POLICY;
            case "uploads" -> UPLOADS;
            case "uploadId" -> UPLOAD_ID;
            case "versioning" -> VERSIONING;
            default -> NONE;
        };
    }
}
