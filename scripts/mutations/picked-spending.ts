import { type Mutation, mutationsBy } from './mutation.ts'

const of = mutationsBy({
  requests: 'tests/account/requests.test.ts',
  segments: 'src/account/requests/search/slots.test.ts',
  found: 'src/account/requests/search/found.test.ts',
  usage: 'tests/account/account-usage.test.ts',
  calendar: 'src/platform/calendar/calendar.test.ts',
  charge: 'src/account/accounting/charge.test.ts',
  talk: 'tests/work/talk/answers.test.ts',
})

/** What a call cost: the list of requests and its search, usage, and the lines of a charge. */
export const spendingMutations: readonly Mutation[] = [
  ...of(
    'src/account/requests/search/slots.ts',
    [
      'return one.filter((slot) => hasSlot(bits, slot))',
      'return one.filter((slot) => !hasSlot(bits, slot))',
      'A call that has two rare values is found by both',
      'segments',
    ],
    [
      'return isEmpty ? noSlots : both',
      'return isEmpty ? both : noSlots',
      'A call that has two common values is found by both',
      'segments',
    ],
    [
      'first <= slot && slot < end',
      'first < slot && slot < end',
      'The first call of a range of times is found',
      'segments',
    ],
  ),
  ...of(
    'src/account/requests/search/charges.ts',
    [
      'if (least <= charge && charge <= greatest)',
      'if (least < charge && charge <= greatest)',
      'A charge that is the lower bound of a filter is within it',
      'segments',
    ],
    [
      'while (last > first && bounds[last]! > max) last--',
      'while (last > first && bounds[last]! >= max) last--',
      'A charge that is the upper bound of a filter is within it, also where a portion begins',
      'segments',
    ],
    [
      'union([difference(bitsBefore(high.before), bitsOf(upToFirst)), ...ends])',
      'union([difference(bitsBefore(low.before), bitsOf(upToFirst)), ...ends])',
      'The charges of the portions between two bounds are within them',
      'segments',
    ],
  ),
  ...of('src/account/requests/search/terms.ts', [
    'if (values.length <= maxValues) groups.push(values.map((value) => termOf(field, value)))',
    'groups.push(values.length <= maxValues ? values.map((value) => termOf(field, value)) : [])',
    'A filter by more values than are searched finds the calls of each',
    'requests',
  ]),
  ...of(
    'src/account/requests/search/found.ts',
    [
      'if (one.began !== other.began) return one.began < other.began ? 1 : -1',
      'if (one.began !== other.began) return one.began < other.began ? -1 : 1',
      'The list begins with the newest call',
      'found',
    ],
    [
      '[...new Map([...rows, ...this.#rows].map((row) => [row.receipt_id, row])).values()]',
      '[...rows, ...this.#rows]',
      'A call that is found twice stands in the list once',
      'found',
    ],
    [
      'microsecondsOf(this.#rows.at(-1)!.began) > segment.beganLast',
      'microsecondsOf(this.#rows.at(-1)!.began) >= segment.beganLast',
      'A segment whose newest call can still stand on the page is read',
      'found',
    ],
  ),
  ...of(
    'src/account/requests/settlements.ts',
    [
      'and (r.created_at, r.receipt_id) < (',
      'and (r.created_at, r.receipt_id) <= (',
      'A page begins after the last call of the page before',
      'requests',
    ],
    [
      'and r.position > ${from} and r.position <= ${to}',
      'and r.position >= ${from} and r.position <= ${to}',
      'A tail shows each end once',
      'requests',
    ],
    [
      'min !== undefined && sql`${charged} >= ${min}`',
      'min !== undefined && sql`${charged} > ${min}`',
      'A call that cost the least that is asked for is in the list',
      'requests',
    ],
    [
      'max !== undefined && sql`${charged} <= ${max}`',
      'max !== undefined && sql`${charged} < ${max}`',
      'A call that cost the most that is asked for is in the list',
      'requests',
    ],
  ),
  ...of(
    'src/account/requests/filter.ts',
    [
      'projects: await namedProjects(db, caller, query.project_id ?? caller.projectId),',
      "projects: query.project_id === 'all' ? 'all' : [query.project_id ?? caller.projectId],",
      'A member of some projects sees no call of another, by no filter',
      'requests',
    ],
    [
      "zone.startOf(param === 'to' ? addDays(day, 1) : day)",
      'zone.startOf(day)',
      'The last day of a range is in it',
      'requests',
    ],
  ),
  ...of(
    'src/account/usage/store.ts',
    [
      "if (!range.zone.isSameAs('Asia/Tehran')) {",
      "if (range.zone.name === 'UTC') {",
      'Usage of every other zone is a sum of quarter hours, not of the days of Tehran',
      'usage',
    ],
    [
      'sum(many * amount::numeric)',
      'sum(amount::numeric)',
      'The units of all calls are counted, however many of one group had as many',
      'usage',
    ],
    [
      'and (charged < ${charged} or (charged',
      'and (charged <= ${charged} or (charged',
      'Pages by cost have each row once',
      'usage',
    ],
    [
      "and person_id = ${values.add(filter.personId, 'uuid')} and kind <> 'api'",
      "and ${values.add(filter.personId, 'uuid')} is not null and kind <> 'api'",
      'Usage of a person is that of their own sessions',
      'usage',
    ],
  ),
  ...of('src/account/usage/range.ts', [
    'if (lengthOf({ from, to }) > maxDays)',
    'if (lengthOf({ from, to }) >= maxDays)',
    'The longest range is permitted',
    'usage',
  ]),
  ...of('migrations/0041-usage.sql', [
    "date_bin('15 minutes', at, '2000-01-01 00:00:00+00')",
    "date_bin('30 minutes', at, '2000-01-01 00:00:00+00')",
    'Days of zones whose midnights lie on quarter hours have their own calls',
    'usage',
  ]),
  ...of(
    'src/platform/calendar/calendar.ts',
    [
      'addDays(day, -((new Date(day).getUTCDay() + 1) % 7))',
      'addDays(day, -(new Date(day).getUTCDay() % 7))',
      'Weeks begin on Saturday',
      'calendar',
    ],
    [
      'periods.push({ from: start, to: last < to ? last : to })',
      'periods.push({ from: start, to: last })',
      'The last week or month ends with its range',
      'calendar',
    ],
    [
      "calendar === 'gregorian' ? `${day.slice(0, 8)}01`",
      "calendar === 'gregorian' && day < '2026' ? `${day.slice(0, 8)}01`",
      'Months are those of the calendar that is asked for',
      'calendar',
    ],
  ),
  ...of('src/platform/calendar/time-zone.ts', [
    'if (between + this.#offsetAt(between) >= midnight) from = between',
    'if (between + this.#offsetAt(between) > midnight) from = between',
    'A day begins at its midnight where clocks are changed around it',
    'calendar',
  ]),
  ...of(
    'src/core/models/kinds/cost.ts',
    [
      'return (sum + denominator - 1n) / denominator',
      'return sum / denominator',
      'A charge is rounded up to whole micro-credits',
      'charge',
    ],
    [
      'const key = `${line.unit} ${line.price}`',
      'const key = line.unit',
      'Units at two prices stay two lines',
      'charge',
    ],
  ),
  ...of('src/core/models/kinds/stored-cost.ts', [
    '...(part.calls > 1 && {',
    '...(part.calls > 9 && {',
    'Calls that were rounded one by one keep what they cost together',
    'charge',
  ]),
  ...of(
    'src/account/accounting/charge.ts',
    [
      'millionthsText(cost.microcredits * million - exact)',
      'millionthsText(exact % million)',
      'The lines and the rounding sum up to the charge',
      'charge',
    ],
    [
      "if (charged < microcredits) return 'within_hold'",
      "if (charged * 2n < microcredits) return 'within_hold'",
      'A charge that is less than its lines says why',
      'charge',
    ],
  ),
  ...of('src/work/talk/answers/end-answer.ts', [
    '{ statusCode: failure.status, failure, undelivered: true } : { statusCode: 200 }',
    '{ statusCode: failure.status, failure } : { statusCode: 200 }',
    'An answer in Talk whose upstream failed costs nothing',
    'talk',
  ]),
  ...of('src/work/talk/answers/begin.ts', [
    'if (!(await earlierMessage(context, asked.clientId, asked.fingerprint)))\n        fail(',
    'if (asked.clientId)\n        fail(',
    'A message in Talk that is sent twice at once is answered as one',
    'talk',
  ]),
  ...of('src/work/talk/answers/turn.ts', [
    '  openable,\n',
    '',
    'A fetch in Talk opens nothing that only an attached file names',
    'talk',
  ]),
]
