package dev.sluice.cli.node;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.engine.FailureAnswers;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.store.StoreException;

/// What the engine cannot answer by itself, said as S3 says it.
final class S3FailureAnswers implements FailureAnswers {
    @Override
    public Response failed(RequestHead head, Throwable cause) {
        return cause instanceof StoreException failure
                ? S3Responses.error(failure, head)
                : S3Responses.error(
                        S3Code.INTERNAL_ERROR.error("We encountered an internal error. Please try again."), head);
    }

    @Override
    public Response unreachable(RequestHead head, boolean unknown) {
        var message = unknown
                ? "The node that has this object broke off: it is not known whether the request was carried out"
                : "The node that has this object cannot be reached; nothing was changed";
        return S3Responses.error(new StoreException.Unavailable(message), head);
    }
}
