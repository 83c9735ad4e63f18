project
table Table
png Content/Red.png
echo '{' | asset Broken
set +o pipefail
cook full --json - | sed -E -e 's/("seconds":\t)[0-9.e-]+/\1SECONDS/' -e 's/("key":\t)"[0-9a-f]{32}"/\1"KEY"/' \
    -e 's/("started":\t)"[0-9TZ:-]+"/\1"TIME"/' -e 's/("start":\t)[0-9.e-]+/\1SECONDS/' \
    -e 's/("worker":\t)[12]/\1WORKER/'
exit "${PIPESTATUS[0]}"
