"""The experiments of the first project in which a program learned Abalone, repeated to compare the results.

`basic_training`, `ancestors` and `fine_tuning` need only features, so they are
offered to every game with features; for Abalone the tables show the original
results as well.

Source: tables of wins in the report of that project, "Tests Results"; its
players learned by TD(lambda) with the fourteen features of `classic14`. The
remaining matches of each ten or twenty had no winner. The report does not say
whether players learned during the matches against their ancestors. It notes
that ancestors began to win after several rounds, which is only possible if
they did.
"""
