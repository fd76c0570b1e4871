"""The rooms: one folder for each method, with all that it needs. The road knows only ``registry``."""
