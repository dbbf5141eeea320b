"""The experiments of the first project in which a program learned Abalone, repeated to compare the results.

`basic_training`, `ancestors` and `fine_tuning` need only features, so they are
offered to every game with features. For Abalone the tables also show the
original results.

Source: tables of wins in the report of that project, "Tests Results"; its
players learned by TD(lambda) with the fourteen features of `classic14`. Each
result is from ten or twenty matches; those that neither player won are not in
the tables. The report does not say whether players learned during the matches
against their ancestors. It notes that ancestors began to win after several
rounds, which is only possible if they did.
"""
