project
table Same
table Table one
table Gone
quietly cook full
table Table another
table New
rm Content/Gone.asset
quietly cook incremental
cook diff :1 :latest
