"""What all audits share: their result, the attack curve, the budget for counting, intervals.

What an attacker could do under one model is in that method's own folder.
"""
