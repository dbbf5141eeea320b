"""The learner and the agent `value-iteration`: a table of abstract states, learned from matches."""
