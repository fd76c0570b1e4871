"""k-anonymity of a table by withholding or generalising cells.

Here: the model and its requirements on sensitive columns, the exact check, the audit, the lower bound,
measures, and what a release by blocks needs; ``search`` has the search. Not here: trees, plans and groups of
tables, which are in ``data``.
"""

from __future__ import annotations

from withhold.by_parts import ByBlocks, ByParts
from withhold.data.reading_options import TableReading
from withhold.lazy import later
from withhold.method import Method, Step
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.options import CellsAudit, CellsSearch, TableFiles
from withhold.telling.words import Words

METHOD = Method(
    data="table",
    model=KAnonymity,
    reading_options=TableReading,
    files=TableFiles,
    evidence=later(f"{__name__}.presence:evidence_of_files"),
    gather=later(f"{__name__}.presence:population_for"),
    search=Step(later(f"{__name__}.search.suppressor:suppress_cells"), CellsSearch),
    check=later(f"{__name__}.check:verify_table"),
    audit=Step(later(f"{__name__}.audit:audit_table"), CellsAudit),
    loss=later(f"{__name__}.loss:table_loss"),
    advise=later(f"{__name__}.advice:advise_on_loss"),
    bound=later(f"{__name__}.bound:bound_cells"),
    measure=later(f"{__name__}.utility:measure_tables"),
    sections=later(f"{__name__}.telling:sections_of_tables"),
    attack_section=later(f"{__name__}.telling:table_attack_section"),
    exposure=later(f"{__name__}.telling:table_exposure"),
    audit_text=later(f"{__name__}.text:table_audit_text"),
    how_to_read=later(f"{__name__}.set_columns:how_to_read"),
    warnings=later(f"{__name__}.disclosure:disclosure_warnings"),
    added=frozenset(("t", "beta", "ordered", "missing", "presence")),
    by_parts=ByParts(
        later(f"{__name__}.by_blocks:not_by_blocks"),
        blocks=ByBlocks(
            survey=later(f"{__name__}.by_blocks:survey_part"),
            join=later(f"{__name__}.by_blocks:join_surveys"),
            deal=later(f"{__name__}.by_blocks:deal"),
            spans=later(f"{__name__}.by_blocks:valid_blocks"),
            search=later(f"{__name__}.by_blocks:search_block"),
            plan=later(f"{__name__}.by_blocks:plan_part"),
            count=later(f"{__name__}.group_counts:count_groups"),
            values=later(f"{__name__}.group_counts:count_values"),
            judge=later(f"{__name__}.group_counts:judge_groups"),
            verdict=later(f"{__name__}.group_counts:verdict_of"),
            audit=later(f"{__name__}.audit_by_counts:AuditByCounts"),
            measure=later(f"{__name__}.loss_by_parts:LossByParts"),
        ),
    ),
    column_roles=later("withhold.data.roles:roles_of"),
    marked=later("withhold.data.marks:with_marks"),
    words=Words(),
    limits=(
        (
            "The label is not hidden",
            "Where all rows of a group have the same label, whoever finds the group knows it. That is what "
            "l-diversity (l) and t-closeness (t) are for.",
        ),
        (
            "Only the columns named",
            "Whoever knows something else of a person than the quasi-identifiers may single the row out. "
            "All other columns are published as they are.",
        ),
    ),
)
