"""CORS: which other sites' pages may read the public API."""

from collections.abc import Collection, Sequence

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webstrata.http.headers import ADMIN_PATH

PUBLIC_PATH = "/api/"
REPORTS_PATH = "/api/reports"

_READING = ("GET", "HEAD", "OPTIONS")


class PublicCors:
    """Lets the allowed origins read public routes and send reports, without credentials, and nothing else."""

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        """Wrap an application for these origins."""
        self.app = app
        self._reading = _Cors(app, origins, _READING)
        self._reporting = _Cors(app, origins, (*_READING, "POST"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to preflights and add CORS headers to responses of public routes; pass the rest on."""
        await self._for(scope.get("path", ""))(scope, receive, send)

    def _for(self, path: str) -> ASGIApp:
        if not path.startswith(PUBLIC_PATH) or path.startswith(ADMIN_PATH):
            return self.app
        return self._reporting if path.rstrip("/") == REPORTS_PATH else self._reading


class _Cors(CORSMiddleware):
    """Lets origins use some methods with any headers: no header grants access on these routes."""

    def __init__(self, app: ASGIApp, origins: Collection[str], methods: Sequence[str]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=methods,
            allow_headers=("*",),
            expose_headers=("Content-Disposition", "ETag", "Retry-After", "X-API-Version", "X-Request-Id"),
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        """Return the response to a preflight; a refusal is JSON like every error."""
        answer = super().preflight_response(request_headers)
        if answer.status_code < 400:
            return answer
        del answer.headers["content-type"], answer.headers["content-length"]
        detail = bytes(answer.body).decode()
        return JSONResponse({"detail": detail}, status_code=answer.status_code, headers=dict(answer.headers))
