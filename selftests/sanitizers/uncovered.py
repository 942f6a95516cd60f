#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: uncovered.py JSON DIR REASONS FILE...

What of each FILE no test has run, by gcovr's JSON about the sources in DIR, and by
REASONS why that cannot be: there, each reason starts at the left, and below it,
indented, come the lines of the source that it is for, as "FILE: LINE", LINE without
the blanks around it. KTAP: one result for each file.
"""

import json
import sys


def reasons(path):
    """The lines for which there is a reason, with how often they were needed."""
    known = {}
    for line in open(path, encoding='utf-8'):
        if line[:1].isspace() and line.strip():
            file, _, text = line.strip().partition(': ')
            known[file, text.strip()] = 0
    return known


def missed(line):
    """What was not run of a line; '' if all was."""
    if line['count'] == 0:
        return 'line'
    branches = line['branches']
    # all or nothing: of what the compiler makes of one condition, there are many
    untaken = [b for b in branches if b['count'] == 0 and not b['throw']]
    return f'{len(untaken)} of {len(branches)} branches' if untaken else ''


def check(file, source, known):
    """Print what is uncovered in a file of gcovr's; return whether all has its reason."""
    good = True
    for line in file['lines']:
        if line.get('gcovr/noncode'):
            continue
        what = missed(line)
        if not what:
            continue
        text = source[line['line_number'] - 1].strip()
        key = (file['file'], text)
        if key in known:
            known[key] += 1
            continue
        good = False
        print(f"# {file['file']}:{line['line_number']}: {what}: {text}")
    return good


def main():
    counted = json.load(open(sys.argv[1], encoding='utf-8'))['files']
    counted = {file['file']: file for file in counted}
    known = reasons(sys.argv[3])
    files = [counted[name] for name in sys.argv[4:]]
    print('KTAP version 1')
    print(f'1..{len(files) + 1}')
    bad = 0
    for number, file in enumerate(files, 1):
        source = open(f"{sys.argv[2]}/{file['file']}", encoding='utf-8').readlines()
        good = check(file, source, known)
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {file['file']}: all has run that can")
    idle = [f'{file}: {text}' for (file, text), uses in known.items() if not uses]
    for line in idle:
        print(f'# has run, or is gone: {line}')
    print(f"{'not ok' if idle else 'ok'} {len(files) + 1} - no reason is out of date")
    return 1 if bad or idle else 0


sys.exit(main())
