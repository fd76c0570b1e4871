"""All frequent itemsets, or only the closed ones, by depth-first search over ever smaller tables.

Items are ranks, rarest first. An itemset ending in x has a table of its own: of every row that holds it
the *tail*, the items above x that are still frequent there. Rows with equal tails are merged and their
weights added, which is what keeps deep searches small.

An itemset is closed iff no other item is in all of its rows. Items above x that are, join it at once. If
an item below x is, the closed set is found from that item instead (Uno's prefix-preserving extension).
So for closed sets a row also carries its *head*, the items below x, just before its tail; merged rows keep
what their heads have in common, since nothing else can be in all rows of a descendant.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.threads import ANSWERED, Stop
from withhold.data.array_types import Ints, Longs
from withhold.mining.rows import MiningRows, Wanted, new_search, with_room

FINISHED, TOO_MANY, STOPPED, NO_ROOM = 0, 1, 2, 3
N_SETS, N_TABLES, DEPTH = 0, 1, 2
"""Of the search's numbers: itemsets found, tables made, and where to go on."""


def mine_part(
    rows: MiningRows, first: int, last: int, wanted: Wanted, stop: Stop
) -> tuple[Longs, Ints, Longs]:
    """Sizes, ranks and supports of the itemsets whose rarest item is in [first, last)."""
    search = new_search(rows, first, last)
    while (status := mine_itemsets(search, wanted, stop.flag)) == NO_ROOM:
        search = with_room(search)
    if status == TOO_MANY:
        stop.because(ANSWERED)
    n_sets = search.numbers[N_SETS] if status == FINISHED else 0
    offsets = search.set_offsets[: n_sets + 1]
    return np.diff(offsets), search.set_items[: offsets[-1]], search.set_supports[:n_sets]


@kernel
def mine_itemsets(search, wanted, stop):
    """Go on with a search until it ends, is stopped, or needs more room; returns which of these."""
    levels, numbers = search.levels, search.numbers
    depth = numbers[DEPTH]
    while depth >= 0:
        child = levels.next_child[depth]
        if child == levels.children[depth]:
            depth -= 1
            continue
        if stop[0] != 0:
            return STOPPED
        if wanted.closed and not _is_new(search, child):
            levels.next_child[depth] += 1
            continue
        if numbers[N_SETS] == wanted.most_sets:
            return TOO_MANY
        n_touched = _count_followers(search, depth, child)
        if not _has_room(search):
            _forget_followers(search, n_touched)
            numbers[DEPTH] = depth
            return NO_ROOM
        levels.next_child[depth] += 1
        n_kept = _list_set(search, wanted, depth, child, n_touched)
        if n_kept == 0 or levels.set_size[depth + 1] == wanted.most_items:
            _forget_followers(search, n_kept)
            continue
        _merge_tails(search, wanted, depth, child)
        _make_children(search, depth, n_kept)
        depth += 1
    return FINISHED


@step
def _count_followers(search, depth, child):
    """Count what follows the child's item in its rows, and the room that its table may take."""
    levels = search.levels
    n_touched = 0
    n_items = levels.items[depth]
    for k in range(search.child_start[child], search.child_end[child]):
        row, place = search.post_rows[k], search.post_places[k]
        weight = search.weight[row]
        n_items += search.tail_end[row] - search.head_start[row]
        for p in range(place + 1, search.tail_end[row]):
            y = search.items[p]
            if search.count[y] == 0:
                search.touched[n_touched] = y
                n_touched += 1
            search.count[y] += weight
    n_sets = search.numbers[N_SETS]
    search.needed[0] = n_items
    search.needed[1] = levels.rows[depth] + search.child_end[child] - search.child_start[child]
    search.needed[2] = levels.children[depth] + n_touched
    search.needed[3] = n_sets + 2
    search.needed[4] = search.set_offsets[n_sets] + len(search.current)
    return n_touched


@step
def _has_room(search):
    """Whether every part is large enough for the next table."""
    return (
        search.needed[0] <= len(search.items)
        and search.needed[1] <= len(search.weight)
        and search.needed[2] <= len(search.child_item)
        and search.needed[3] <= len(search.set_supports)
        and search.needed[4] <= len(search.set_items)
    )


@step
def _forget_followers(search, n_touched):
    """Set the counts back to 0."""
    for t in range(n_touched):
        search.count[search.touched[t]] = 0


@step
def _list_set(search, wanted, depth, child, n_touched):
    """List the child's set, closed if wanted; how many followers are frequent, which then come first."""
    support = search.child_support[child]
    size = search.levels.set_size[depth]
    search.current[size] = search.child_item[child]
    size += 1
    n_kept = 0
    for t in range(n_touched):
        y = search.touched[t]
        if wanted.closed and search.count[y] == support:
            search.current[size] = y
            size += 1
            search.count[y] = 0
        elif search.count[y] >= wanted.least:
            search.touched[n_kept] = y
            n_kept += 1
        else:
            search.count[y] = 0
    search.levels.set_size[depth + 1] = size
    n_sets = search.numbers[N_SETS]
    used = search.set_offsets[n_sets]
    for k in range(size):
        search.set_items[used + k] = search.current[k]
    search.set_supports[n_sets] = support
    search.set_offsets[n_sets + 1] = used + size
    search.numbers[N_SETS] = n_sets + 1
    return n_kept


@step
def _merge_tails(search, wanted, depth, child):
    """Make the rows of the child's table: what is kept of the tails, equal ones merged."""
    levels, items = search.levels, search.items
    search.numbers[N_TABLES] += 1
    n_rows, end = levels.rows[depth], levels.items[depth]
    width = np.int64(4)
    while width < 2 * (search.child_end[child] - search.child_start[child]):
        width *= 2
    for k in range(search.child_start[child], search.child_end[child]):
        row, place = search.post_rows[k], search.post_places[k]
        head = end
        if wanted.closed:
            end += place - search.head_start[row]
        tail = end
        key = np.int64(0)
        for p in range(place + 1, search.tail_end[row]):
            y = items[p]
            if search.count[y] > 0:
                items[end] = y
                end += 1
                key = (key * 1000003 + y + 1) & 0xFFFFFFFFFF
        if tail == end:
            end = head
            continue
        slot = _slot_of_tail(search, tail, end, key, width)
        if search.slot_table[slot] == search.numbers[N_TABLES]:
            end = head
            same = search.slot_row[slot]
            search.weight[same] += search.weight[row]
            first, last = search.head_start[same], search.tail_start[same]
            if first < last:
                shared = _keep_common(items, first, last, items, search.head_start[row], place)
                search.head_start[same] = shared
        else:
            for p in range(tail - head):
                items[head + p] = items[search.head_start[row] + p]
            search.slot_table[slot] = search.numbers[N_TABLES]
            search.slot_row[slot] = n_rows
            search.head_start[n_rows] = head
            search.tail_start[n_rows] = tail
            search.tail_end[n_rows] = end
            search.weight[n_rows] = search.weight[row]
            n_rows += 1
    levels.rows[depth + 1] = n_rows
    levels.items[depth + 1] = end
    if wanted.closed:
        _drop_rare_heads(search, wanted.least, levels.rows[depth], n_rows)


@step
def _slot_of_tail(search, begin, end, key, width):
    """The slot of the row with the same tail in this table, or the free one for a new row."""
    slot = (key ^ (key >> 15)) & (width - 1)
    while search.slot_table[slot] == search.numbers[N_TABLES]:
        other = search.slot_row[slot]
        first = search.tail_start[other]
        if search.tail_end[other] - first == end - begin:
            p = begin
            while p < end and search.items[p] == search.items[first + p - begin]:
                p += 1
            if p == end:
                break
        slot = (slot + 1) & (width - 1)
    return slot


@step
def _make_children(search, depth, n_kept):
    """Make the children of the new table, and hand each the rows that hold its item."""
    levels, place = search.levels, search.place
    for row in range(levels.rows[depth], levels.rows[depth + 1]):
        for p in range(search.tail_start[row], search.tail_end[row]):
            place[search.items[p]] += 1
    child = levels.children[depth]
    levels.next_child[depth + 1] = child
    # There are no more postings than items, so those of each level begin where its items do.
    posting = levels.items[depth]
    for t in range(n_kept):
        y = search.touched[t]
        search.child_item[child] = y
        search.child_support[child] = search.count[y]
        search.child_start[child] = posting
        search.child_end[child] = posting + place[y]
        place[y], posting = posting, posting + place[y]
        search.count[y] = 0
        child += 1
    levels.children[depth + 1] = child
    for row in range(levels.rows[depth], levels.rows[depth + 1]):
        for p in range(search.tail_start[row], search.tail_end[row]):
            y = search.items[p]
            search.post_rows[place[y]] = row
            search.post_places[place[y]] = p
            place[y] += 1
    for t in range(n_kept):
        place[search.touched[t]] = 0


@step
def _keep_common(array, begin, end, others, first, last):
    """Leave at the end of ``array[begin:end]`` what ``others[first:last]`` holds, too; where that begins.

    Both ascend.
    """
    kept = end
    k, p = end - 1, last - 1
    while k >= begin and p >= first:
        if others[p] > array[k]:
            p -= 1
        elif others[p] < array[k]:
            k -= 1
        else:
            kept -= 1
            array[kept] = array[k]
            k -= 1
            p -= 1
    return kept


@step
def _is_new(search, child):
    """Whether no item below the child's is in all of its rows."""
    start, end = search.child_start[child], search.child_end[child]
    shortest = start
    size = np.int64(1) << 60
    for k in range(start, end):
        length = search.post_places[k] - search.head_start[search.post_rows[k]]
        if length == 0:
            return True
        if length < size:
            size = length
            shortest = k
    first = search.head_start[search.post_rows[shortest]]
    for p in range(size):
        search.common[p] = search.items[first + p]
    begin = np.int64(0)
    for k in range(start, end):
        if k != shortest:
            first, last = search.head_start[search.post_rows[k]], search.post_places[k]
            begin = _keep_common(search.common, begin, size, search.items, first, last)
            if begin == size:
                return True
    return False


@step
def _drop_rare_heads(search, least, first_row, last_row):
    """Leave in the heads of a table's rows what can be in all rows of a frequent descendant.

    Only items below the set's are counted, so the counts of those above are not touched.
    """
    items, count = search.items, search.count
    for row in range(first_row, last_row):
        for p in range(search.head_start[row], search.tail_start[row]):
            count[items[p]] += search.weight[row]
    for row in range(first_row, last_row):
        begin = search.tail_start[row]
        for p in range(search.tail_start[row] - 1, search.head_start[row] - 1, -1):
            if count[items[p]] >= least:
                begin -= 1
                items[begin] = items[p]
            else:
                count[items[p]] = 0
        search.head_start[row] = begin
    for row in range(first_row, last_row):
        for p in range(search.head_start[row], search.tail_start[row]):
            count[items[p]] = 0
