"""What every safe release that only deletes must withhold: a lower bound, found without any search.

Here: ``lower_bound``, the entry; ``record_losses`` and ``near_rows`` for all such releases;
``possible_sets``, ``hiding_rows`` and ``row_classes`` for those that delete sensitive items only. No search
or check uses it.
"""
