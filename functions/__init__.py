"""The HTTP skin of Reprise: one endpoint, one module, one blueprint."""
