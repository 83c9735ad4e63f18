"$COOK_PYTHON" "$tests/web/documents.py" hostile >validation.json
cook report sarif validation.json | cut -c1-1000
