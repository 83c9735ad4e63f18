project
table Good
table Bad
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || skip 'root reads everything, and setpriv is not there'
    chmod -R a+rwX .
    chmod 0 Content/Bad.asset
    chmod a+rx .. "$COOK_BUILD/bin" 2>/dev/null || true
    drop=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${drop[@]}" cook full --version >/dev/null 2>&1 || skip 'another user cannot start the programs'
else
    chmod 0 Content/Bad.asset
    drop=()
fi
"${drop[@]}" cook full
