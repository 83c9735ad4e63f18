# No source, a folder that is none, a range that is none.
cook churn || true
mkdir empty
cook churn empty --work w || true
git init -q repository
cook churn repository main --work w2
