"""Which other sites' pages may read the public API."""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webstrata.api.headers import ADMIN_PATH

PUBLIC_PATH = "/api/"


class PublicCors(CORSMiddleware):
    """Lets the allowed origins read what is public, without credentials; pages and admin routes stay ours."""

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        """Wrap an application for these origins."""
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=("GET", "HEAD", "OPTIONS"),
            allow_headers=("If-None-Match", "X-Request-Id"),
            expose_headers=("ETag", "Retry-After", "X-API-Version", "X-Request-Id"),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer preflights and mark answers of public routes; pass the rest on."""
        path = scope.get("path", "")
        if path.startswith(PUBLIC_PATH) and not path.startswith(ADMIN_PATH):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def preflight_response(self, request_headers: Headers) -> Response:
        """Return the answer to a preflight; a refusal is JSON like every error."""
        answer = super().preflight_response(request_headers)
        if answer.status_code < 400:
            return answer
        del answer.headers["content-type"], answer.headers["content-length"]
        detail = bytes(answer.body).decode()
        return JSONResponse({"detail": detail}, status_code=answer.status_code, headers=dict(answer.headers))
