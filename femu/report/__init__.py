"""The report: one HTML file about a result, a test or a batch."""
