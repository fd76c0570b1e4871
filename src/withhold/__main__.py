"""``python -m withhold``."""

from withhold.cli import main

main()
