-- SPDX-FileCopyrightText: 2026 The Assent Authors
-- SPDX-License-Identifier: Apache-2.0
--
-- wrk: POSTs the bodies of a file, one to a line, in turn, and prints one line of JSON.
--
--   wrk … -s calls.lua URL -- BODIES [AUTHORIZATIONS]
--
-- AUTHORIZATIONS is a file of one Authorization value to a line; the shorter of the two files is gone through again
-- until the longer one is done. The requests are made before the first is sent, so that sending one costs a look into a
-- table.

local requests = {}
local at = 0

local function lines(path)
  local list = {}
  for line in io.lines(path) do list[#list + 1] = line end
  return list
end

function init(args)
  local bodies = lines(args[1])
  local authorizations = args[2] and lines(args[2]) or {}
  for i = 1, math.max(#bodies, #authorizations) do
    local headers = { ["Content-Type"] = "application/json" }
    if #authorizations > 0 then headers["Authorization"] = authorizations[(i - 1) % #authorizations + 1] end
    requests[i] = wrk.format("POST", wrk.path, headers, bodies[(i - 1) % #bodies + 1])
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '{"calls": %d, "seconds": %.6f, "p50Micros": %.2f, "p99Micros": %.2f, "errors": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
