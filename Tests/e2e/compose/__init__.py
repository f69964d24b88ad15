# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The system in containers: the whole flow through clients that others wrote, replicas, and faults under load."""
