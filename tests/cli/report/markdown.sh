"$COOK_PYTHON" "$tests/web/documents.py" small >validation.json
cook report markdown validation.json
