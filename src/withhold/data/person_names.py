"""Names of columns that identify persons: one list for the stop and for the warning.

In: the name of a column. Out: whether it holds an id of each person, in English, German, French, Spanish,
Italian, Portuguese or Dutch. Case, accents, blanks, digits and punctuation do not count.
"""

from __future__ import annotations

import re
import unicodedata

_SURE = (
    "client|customer|employee|participant|patient|person|respondent|student"
    "|patient(in|en|innen)|kund(e|in|en|innen)|klient(in|en|innen)?|proband(in|en|innen)?"
    "|patiente|cliente|personne|eleve|etudiant(e)?|paciente|persona|alumn[oa]|paziente|studente|assistit[oa]"
    "|pessoa|alun[oa]|klant|persoon"
)
_KINDS = (
    "account|member|subject|user|mitglied|nutzer|benutzer|versicherte(r)?|mitarbeiter(in)?|teilnehmer(in)?"
    "|sch(u|ue)ler(in)?|bewohner(in)?|employe|salarie|assure|adherent|abonne|usager|beneficiaire"
    "|emplead[oa]|usuari[oa]|asegurad[oa]|afiliad[oa]|soci[oa]|utente|dipendente|assicurat[oa]"
    "|funcionari[oa]|segurad[oa]|medewerker|deelnemer|verzekerde"
)
"""Under these names, a few values are kinds, such as gold members, rather than persons."""
_LINKED = "pat|personal|personen|mitglieds|versicherten|krankenversicherten|versicherungs|matrikel|ausweis"
"""These mean persons only if a word for a number or an id follows."""
_ID = (
    "(id|ident|identifier|identifiant|identificador|no|nr|nro|num|number|nummer|numero|key|code|codigo"
    "|codice|cod|kennung|schl(u|ue)ssel)"
)
_ALONE = (
    "e?mail|mrn|pid|ssn|sozialversicherungs(nummer|nr)|steuer(nummer|nr|id)|kvnr|svnr|nhs(number|no)"
    "|codicefiscale|cpf|curp|dni|bsn"
)
PERSONS = re.compile(
    rf"({_SURE}|{_KINDS})s?{_ID}?|({_LINKED}){_ID}|{_ALONE}"
    rf"|({_ID}|n|matricule)(de|dela|del|do|da|della|du)?({_SURE}|{_KINDS})"
)
KINDS = re.compile(f"({_KINDS})s?")


def names_persons(name: str) -> bool:
    """Whether a column of this name holds an id of each person.

    >>> [names_persons(name) for name in ("PatNr", "Kunden-Nr", "Código de cliente", "N° assuré")]
    [True, True, True, True]
    >>> [names_persons(name) for name in ("ward_id", "number of customers", "product")]
    [False, False, False]
    """
    return PERSONS.fullmatch(_folded(name)) is not None


def may_name_kinds(name: str) -> bool:
    """Whether a few values under such a name are kinds of persons.

    >>> may_name_kinds("member"), may_name_kinds("member_id")
    (True, False)
    """
    return KINDS.fullmatch(_folded(name)) is not None


def _folded(name: str) -> str:
    """The letters of the name in lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if c.isalpha())
