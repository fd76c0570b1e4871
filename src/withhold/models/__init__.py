"""What must hold: privacy models as small frozen values that know their parameters and nothing else."""

from withhold.models.breach import Breach
from withhold.models.rho import RhoUncertainty
from withhold.models.verdict import Status, Verdict

__all__ = ["Breach", "RhoUncertainty", "Status", "Verdict"]
