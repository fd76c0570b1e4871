"""What every safe release that only deletes must withhold: a lower bound, found without any search."""
