"""Adds security headers to every answer, among them the content policy with its nonce.

Knows no pages. A template puts `csp_nonce()` on each of its inline scripts and styles. The browser
loads everything else from our own address or not at all.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from flask import g

if TYPE_CHECKING:
    from flask import Flask, Response

FIXED: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
HSTS: Final = "max-age=31536000"


def csp_nonce() -> str:
    """Returns the nonce of the answer to this request."""
    if "csp_nonce" not in g:
        g.csp_nonce = secrets.token_urlsafe(18)
    nonce: str = g.csp_nonce
    return nonce


def content_policy(nonce: str) -> str:
    """Returns the Content-Security-Policy: only our own address, and inline code with the nonce."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"style-src 'self' 'nonce-{nonce}'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def guard_answers(app: Flask, *, https_only: bool) -> None:
    """Adds the headers to every answer of the app; `https_only` adds Strict-Transport-Security."""
    app.context_processor(lambda: {"csp_nonce": csp_nonce})

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in FIXED.items():
            response.headers.setdefault(name, value)
        response.headers["Content-Security-Policy"] = content_policy(csp_nonce())
        if https_only:
            response.headers["Strict-Transport-Security"] = HSTS
        if "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "private, no-cache"
        return response
