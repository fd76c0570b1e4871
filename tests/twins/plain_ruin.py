"""The plain twin of the moves that polish an assignment."""

from __future__ import annotations

from twins.plain_guarded import Guarded

N_COMPARED, LEAST_K, MORE_K, NOISE = 3, 4, 9, 15


def place_all(state: Guarded, patterns: list[int]) -> None:
    for each, number in enumerate(patterns):
        state.place(each, number)


class Dice:
    """The draw: Lehmer's generator."""

    def __init__(self, first: int) -> None:
        self.state = first

    def below(self, n: int) -> int:
        self.state = self.state * 48271 % 2147483647
        return self.state % n


def polish_groups(state: Guarded, dice: Dice, n_moves: int) -> int:
    saved = 0
    for _ in range(n_moves):
        state.log.clear()
        before = state.members_cost()
        loose = _dissolve(state, dice)
        done = _rebuild(state, loose, _patterns_of(state, loose, dice))
        if not done or state.members_cost() > before:
            state.take_back(0)
        else:
            saved += before - state.members_cost()
    return saved


def _dissolve(state: Guarded, dice: Dice) -> list[int]:
    drawn = [dice.below(len(state.weights)) for _ in range(N_COMPARED)]
    costly = max(drawn, key=lambda each: state.cost(state.of(each)))
    most = state.k * (LEAST_K + dice.below(MORE_K))
    mine = state.matching(costly)
    cheaper = [p for p in mine[:-1] if p < state.of(costly)]
    tuples = state.patterns[mine[dice.below(max(len(cheaper), 1))]][1]
    loose: list[int] = []
    _loosen(state, loose, costly, most)
    offset = dice.below(len(tuples))
    for each in [*tuples[offset:], *tuples[:offset]]:
        if sum(state.weights[e] for e in loose) < most and state.of(each) is not None:
            _loosen(state, loose, each, most)
    return loose


def _loosen(state: Guarded, loose: list[int], each: int, most: int) -> None:
    own = state.of(each)
    if state.size(own) > most:
        leaving = [each] if state.can_leave(each) else []
    else:
        leaving = list(state.members[own])
    for member in leaving:
        state.move(member, None)
        loose.append(member)


def _patterns_of(state: Guarded, loose: list[int], dice: Dice) -> dict[int, tuple[int, list[int]]]:
    """By pattern: its noisy cost, and the loose tuples that match it, the last first."""
    found: dict[int, tuple[int, list[int]]] = {}
    for each in loose:
        for number in state.matching(each):
            if number not in found:
                noise = 100 - NOISE + dice.below(2 * NOISE + 1)
                found[number] = state.cost(number) * noise // 100, []
            found[number][1].insert(0, each)
            if state.size(number) > 0:
                break
    return found


def _rebuild(state: Guarded, loose: list[int], found: dict[int, tuple[int, list[int]]]) -> bool:
    for number in sorted(found, key=lambda p: (found[p][0], p)):
        is_open, mark = state.size(number) > 0, len(state.log)
        for each in found[number][1]:
            if state.of(each) is None and (not is_open or state.admits(number, each)):
                state.move(each, number)
        if not is_open and state.size(number) > 0 and not state.is_valid(number):
            state.take_back(mark)
    for each in loose:
        if state.of(each) is None:
            other = state.cheapest_admitting(each, None)
            if other is None:
                return False
            state.move(each, other)
    return True
