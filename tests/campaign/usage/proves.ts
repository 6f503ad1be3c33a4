import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 3,
  rooms: [
    'src/account/usage',
    'src/account/accounting',
    'src/platform/calendar',
    'src/platform/sheets',
    'src/platform/ledger',
  ],
  files: ['migrations/**', 'package-lock.json', 'tests/account/usage-proof.ts'],
  guarantees: [
    'Usage in every zone, interval and grouping, the list of requests, the receipts and the books of the ledger have the same sums, call by call, for 100,000 calls at the ends of days, weeks and months of both calendars.',
    'An export of usage that an office suite opens has the rows of the report, ids in full, and from right to left in Persian.',
    'A table of 200,000 rows comes whole in both formats; how long the event loop waits meanwhile is printed.',
  ],
}
