# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Clients that come and go, call steadily or mean harm. Used by `soak`, `hostile` and Tests/e2e."""
