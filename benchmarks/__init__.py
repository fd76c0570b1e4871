"""What `make bench` measures: time, memory, loss, and ratios to yardsticks of the same run.

    python -m benchmarks                     everything; some minutes
    python -m benchmarks suppress check      some suites
    python -m benchmarks --quick             the first 10,000 records of each file

``bench`` finds the files, ``fresh`` starts one process per measurement, ``measures`` is what runs
in there, ``tables`` is what is shown; the other modules hold the suites. The real files are found
through ``WITHHOLD_DATA`` (default ``../shared/data``).
"""
