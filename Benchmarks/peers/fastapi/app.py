# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What a team would write instead: consent decisions with an audit row each, FastAPI on uvicorn.

STORE is postgres (with DSN) or sqlite (with SQLITE_PATH). As fast as it could be made without giving up what Assent is
compared for: a decision and its audit row are one durable transaction, and a check reads the stored decision. It has no
authentication, no idempotency and no policies, which Assent has.
"""

import os
from contextlib import asynccontextmanager

import orjson
from fastapi import FastAPI, Response
from pydantic import BaseModel

if os.environ["STORE"] == "postgres":
    from store_postgres import Store
else:
    from store_sqlite import Store

store = Store()


@asynccontextmanager
async def lifespan(_: FastAPI):
    await store.open()
    yield
    await store.close()


app = FastAPI(lifespan=lifespan, openapi_url=None)


class Check(BaseModel):
    accountId: str
    category: str


class Context(BaseModel):
    appVersion: str
    osVersion: str


class Decide(BaseModel):
    accountId: str
    policyVersion: int
    decisions: dict[str, bool]
    method: str
    context: Context


def reply(value: object) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


@app.get("/health")
async def health():
    return reply({"ok": True})


@app.post("/check")
async def check(params: Check):
    granted = await store.decision(params.accountId, params.category)
    reason = "undecided" if granted is None else "granted" if granted else "denied"
    return reply({"allowed": bool(granted), "reason": reason})


@app.post("/decide")
async def decide(params: Decide):
    revision = await store.decide(params)
    return reply({"accountId": params.accountId, "decisions": params.decisions, "revision": revision})
