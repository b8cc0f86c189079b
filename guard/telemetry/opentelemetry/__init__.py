"""Traces and events for OpenTelemetry.

What a call or a pair says is decided in `attributes`, `evaluations` and `content`, which are pure
and import no library. `call_spans`, `job_spans` and `service_spans` bring it to a trace, by the API
package alone; `sdk` sets up SDK and export for the commands, and for nobody else.
"""
