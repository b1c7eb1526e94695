"""Metrics in Prometheus' text format: of requests, and of the archive."""

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.caching import NEVER
from webstrata.http.metrics.request_metrics import Metrics

router = APIRouter(tags=["admin"], dependencies=[Depends(require_admin)], responses=ADMIN_RESPONSES)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "The numbers.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus' text format."""
    numbers = request.app.state.metrics
    assert isinstance(numbers, Metrics)
    text = generate_latest(numbers.registry)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4, "Cache-Control": NEVER})
