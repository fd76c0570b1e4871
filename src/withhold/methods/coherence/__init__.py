"""(h,k,p)-coherence and k^m-anonymity: whoever knows a few items finds k records."""
