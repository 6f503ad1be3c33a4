import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { clockOffences } from './clocks/offences.ts'
import { clockExceptions, leasePlaces } from './clocks/places.ts'

/**
 * Holds what keeps leases, heartbeats, sweeps and stops to the clocks that tests can move (docs/decisions/tests/suites.md): `#platform/clock` in code,
 * `platform.now()` in statements. An argument is the root of another tree.
 */
const root = process.argv[2] ?? path.resolve(import.meta.dirname, '..')
const read = (patterns: string[]) =>
  globSync(patterns, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => ({
      file: file.replaceAll(path.sep, '/'),
      code: readFileSync(path.join(root, file), 'utf8'),
    }))
const offences = clockOffences(read(['src/**/*.ts', 'cli/**/*.ts']), read(['migrations/*.sql']), {
  places: leasePlaces,
  exceptions: clockExceptions,
})
for (const offence of offences) console.error(offence)
if (offences.length) {
  console.error(`\n${offences.length} clocks that no test can move, in what keeps leases.`)
  process.exitCode = 1
}
