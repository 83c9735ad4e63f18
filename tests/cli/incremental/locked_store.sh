project
table Table
held_by_a_cook cook incremental
