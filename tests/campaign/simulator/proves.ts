import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 1,
  rooms: [
    'src/platform/ledger',
    'src/platform/jobs',
    'src/platform/processes',
    'src/platform/db',
    'src/platform/http',
    'src/platform/clock',
    'src/platform/effects',
    'src/platform/turns',
    'src/core/paid',
    'src/core/metering',
    'src/core/routing',
  ],
  files: ['migrations/**', 'package-lock.json', 'tests/harness/**', 'src/*.ts', 'scripts/simulate.ts'],
  guarantees: [
    'In drawn worlds of crashes, outages and concurrent calls no micro-credit is lost or made, and the simulated database behaves as PostgreSQL does.',
  ],
}
