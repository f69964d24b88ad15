# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures Assent beside what it is compared with, all on this machine and in one run."""
