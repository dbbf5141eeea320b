"""Experiments of the first project that let Abalone learn, repeated beside its results.

`basic_training`, `ancestors` and `fine_tuning` need nothing of Abalone but
features, so they are offered to every game; for Abalone the tables show the
original results as well.

Source: tables of wins in the report of that project, "Tests Results"; its
players learned by TD(lambda) with the fourteen features of `classic14`. The
rest of each ten or twenty matches had no winner. The report does not say
whether players learned while they met their ancestors; that ancestors began to
win after several rounds, as it notes, is only possible if they did.
"""
