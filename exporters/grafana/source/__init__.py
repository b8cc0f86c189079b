"""The program that writes the dashboards: `python -m exporters.grafana.source`."""
