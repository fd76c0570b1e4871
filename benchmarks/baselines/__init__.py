"""Methods of others that withhold is measured against, each complete, and tested for what it promises."""
