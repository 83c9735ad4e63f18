"$COOK_PYTHON" "$tests/web/documents.py" hostile >validation.json
cook report junit validation.json | cut -c1-1000
