"""Whether the values of a column are names of people, however often each is repeated.

In: the different values. Out: yes or no. The form alone says little: ``New York`` and ``Truck Driver`` have
it, too. So many of the values must begin with a given name that is usual somewhere in Europe or America, and
most if they are nothing else. Surnames alone, and names from elsewhere, are not found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FEWEST, FEWEST_GIVEN = 5, 10
"""Fewer different names may be those of a few shops; of given names alone, those of a few towns."""
LIKE_NAMES, KNOWN, KNOWN_GIVEN = 0.8, 0.4, 0.7
"""The least shares: of values that look like full names, of those that begin with a known given name, and of
those that are nothing else."""
FULL_NAME = re.compile(
    r"(?P<first>[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)(-[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+)?(?P<comma>,)?"
    r"( [A-ZÀ-ÖØ-Þ]\.?)?( (van|von|de|da|di|del|la|le|der|den|zu|dos))*"
    r" (?P<second>[A-ZÀ-ÖØ-Þ][a-zA-Zß-öø-ÿ'’]+)(-[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)?( [A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ'’-]+)?"
)
_GIVEN = """
Adam Adrian Ahmed Alan Albert Alessandro Alexander Alice Ali Amanda Amy Ana Anders Andre Andrea Andreas Andrew
Angela Anita Ann Anna Anne Annette Anthony Antje Antoine Antonio Arthur Barbara Ben Benjamin Bernd Bernhard
Bernard Betty Birgit Bob Brian Brigitte Bruno Camille Carl Carla Carlos Carmen Carol Caroline Catherine Cem
Charles Charlotte Chloe Christian Christiane Christina Christine Christoph Christopher Claire Clara Claudia
Cleo Cornelia Cristina Daniel Daniela David Deborah Dennis Diana Diego Dieter Dirk Donald Donna Dorothy Ed
Edward Elena Eleni Elias Elif Elisabeth Elizabeth Ella Ellen Emil Emily Emma Eric Erik Erika Ernst Eva Eve
Fatima Felix Fernando Finn Florian Francesca Francesco Francis Francois François Frank Franz Fred Frederik
Friedrich Gabriel Gabriele Gary George Georg Gerald Gerhard Gerd Giovanni Giulia Giuseppe Gloria Grace Greta
Guido Gunter Gustav Günter Hana Hanna Hannah Hans Harald Harold Heather Heike Heinrich Heinz Heidi Helen
Helena Helga Helmut Henry Herbert Hermann Holger Ida Ines Inge Ingrid Irene Isabel Isabella Ivan Jack Jakob
James Jan Jane Janet Jason Javier Jean Jeffrey Jennifer Jens Jessica Joan Joanna Joao João Johann Johannes
John Jonas Jonathan Jorge Jose José Josef Joseph Joshua Juan Judith Julia Julian Julie Jürgen Kai Karen Karin
Karl Karsten Katharina Katherine Kathleen Katja Kelly Kenneth Kerstin Kevin Kim Klara Klaus Kurt Lars Laura
Lea Lena Leo Leon Lina Linda Lisa Louis Louise Luca Lucas Lucia Ludwig Luis Luise Luisa Lukas Maja Manfred
Manuel Marc Marco Marcus Margaret Maria Marie Mario Marion Mark Markus Marta Martha Martin Martina Mary
Mateo Mathias Matteo Matthew Matthias Max Maximilian Mehmet Melissa Mia Michael Michaela Michel Michelle
Miguel Mohamed Mohammed Monica Monika Nadine Nancy Nathan Nicholas Nicolas Nicole Nina Noah Nora Olaf Oliver
Olivia Omar Oskar Otto Pablo Pamela Paolo Patricia Patrick Paul Paula Paulo Pedro Peter Petra Philip Philipp
Pierre Rachel Rainer Ralf Ramon Raymond Rebecca Renate Ricardo Richard Robert Roberto Roger Roland Ronald
Rosa Rudolf Ruth Ryan Sabine Samantha Samuel Sandra Sara Sarah Sebastian Sergio Sharon Silke Silvia Simon
Simone Sofia Sonja Sophia Sophie Stefan Stefanie Stephan Stephanie Stephen Steven Susan Susanne Sven Sylvia
Tanja Teresa Theresa Thomas Tim Timothy Tobias Tom Ulrich Ulrike Ursula Ute Uwe Valentina Vera Veronika
Victor Victoria Vincent Walter Werner Wilhelm William Wolfgang Yusuf Yvonne Zoe
"""
GIVEN_NAMES = frozenset(_GIVEN.split())


def are_names(values: Sequence[str]) -> bool:
    """Whether these different values are names of people: full ones, or given names.

    >>> are_names(["Anna Meyer", "Ben Schmidt", "Weber, Carla", "David Meyer", "Zinedine Weber"])
    True
    >>> are_names(["New York", "Los Angeles", "San Jose", "Saint Paul", "Carson City"])
    False
    """
    if len(values) < FEWEST:
        return False
    if sum(value in GIVEN_NAMES for value in values) >= max(
        KNOWN_GIVEN * len(values), FEWEST_GIVEN
    ):
        return True
    found = [match for value in values if (match := FULL_NAME.fullmatch(value))]
    given = (match["second" if match["comma"] else "first"] for match in found)
    are_known = sum(name in GIVEN_NAMES for name in given) >= KNOWN * len(values)
    return are_known and len(found) >= LIKE_NAMES * len(values)
