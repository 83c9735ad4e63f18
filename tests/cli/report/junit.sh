"$COOK_PYTHON" "$tests/web/documents.py" small >validation.json
cook report junit validation.json
