"""k-anonymity of a table by withholding or generalising cells."""

from __future__ import annotations

from withhold.lazy import later
from withhold.method import Method
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.options import CellsAudit, CellsSearch, TableReading
from withhold.telling.words import Words

METHOD = Method(
    name=KAnonymity.name,
    data="table",
    model=KAnonymity,
    search_options=CellsSearch,
    audit_options=CellsAudit,
    reading_options=TableReading,
    search=later("withhold.methods.cells.search.suppressor:suppress_cells"),
    check=later("withhold.methods.cells.check:verify_table"),
    audit=later("withhold.methods.cells.audit:audit_table"),
    loss=later("withhold.methods.cells.loss:table_loss"),
    measure=later("withhold.methods.cells.utility:measure_tables"),
    sections=later("withhold.methods.cells.telling:sections_of_tables"),
    attack_section=later("withhold.methods.cells.telling:table_attack_section"),
    exposure=later("withhold.methods.cells.telling:table_exposure"),
    audit_text=later("withhold.methods.cells.text:table_audit_text"),
    column_roles=later("withhold.data.roles:roles_of"),
    words=Words(),
    limits=(
        (
            "The label is not hidden",
            "Where all rows of a group have the same label, whoever finds the group knows it. That is what "
            "l-diversity (l) is for.",
        ),
        (
            "Only the columns named",
            "Whoever knows something else of a person than the quasi-identifiers may single the row out. "
            "All other columns are published as they are.",
        ),
    ),
)
