"""The web pages and their figures. Figures turn rows into Plotly data; queries are passed in."""
