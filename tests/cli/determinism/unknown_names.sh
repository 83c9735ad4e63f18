project
table Table
cook determinism --vary colour || echo "exit $?"
cook determinism --package /Game/Nothing || echo "exit $?"
cook determinism --rounds -1 || echo "exit $?"
