"""Figures and pages. Figures are pure, rows to Plotly; queries are handed in."""
