cook ../bin/full
