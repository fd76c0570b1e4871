"""What protection would cost, before anybody has chosen a model: releases of a sample, measured."""
