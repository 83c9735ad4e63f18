"""Make a failing sequence short: leave out items while it still fails."""
import time


def shrink(numbers, fails, seconds):
    """
    A list of `numbers` of which none can be left out, if there is time to find that out.
    `fails(numbers)` says whether a sequence of these items fails.
    """
    deadline = time.monotonic() + seconds
    size = len(numbers)
    while size >= 1 and numbers:
        at = 0
        while at < len(numbers):
            if time.monotonic() > deadline:
                return numbers
            fewer = numbers[:at] + numbers[at + size:]
            if fails(fewer):
                numbers = fewer
            else:
                at += size
        size = min(size // 2, len(numbers))
    return numbers
