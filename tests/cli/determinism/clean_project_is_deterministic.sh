project
table Table
png Content/Red.png
# What a machine can vary differs; these two work everywhere.
cook determinism --vary timezone,umask | grep -vE 'not tried:'
