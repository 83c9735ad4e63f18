"$COOK_PYTHON" "$tests/web/documents.py" hostile >validation.json
cook report markdown validation.json | cut -c1-1000
