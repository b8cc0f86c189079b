"""What the guard tells the outside about its work: metrics, logs and the fan-out to observers."""

from guard.telemetry.collectors import CollectedMetrics as CollectedMetrics
from guard.telemetry.collectors import ScrapedCollector as ScrapedCollector
from guard.telemetry.collectors import spool_metrics as spool_metrics
from guard.telemetry.fairness import FairnessCollector as FairnessCollector
from guard.telemetry.metrics import GatewayMetrics as GatewayMetrics
from guard.telemetry.metrics import Metrics as Metrics
from guard.telemetry.metrics import ReplicaMetrics as ReplicaMetrics
from guard.telemetry.multiprocess import Families as Families
from guard.telemetry.multiprocess import add_families as add_families
from guard.telemetry.multiprocess import growing_families as growing_families
from guard.telemetry.multiprocess import read_samples as read_samples
from guard.telemetry.multiprocess import samples_of as samples_of
from guard.telemetry.multiprocess import summed_metrics as summed_metrics
from guard.telemetry.observers import Observers as Observers
from guard.telemetry.serving import MetricsServer as MetricsServer
from guard.telemetry.serving import serve as serve
