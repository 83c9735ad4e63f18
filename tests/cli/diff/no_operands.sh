cook diff
