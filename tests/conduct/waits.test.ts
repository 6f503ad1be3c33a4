/** How long tests wait: for what `tests/harness/until.ts` names, times the factor of the machine, and never for a number of their own. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const files = ['tests/**/*.ts', 'src/**/*.test.ts', 'console/**/*.test.ts'].flatMap((pattern) =>
  globSync(pattern, { cwd: root }),
)
/** Folders of the campaign run alone; those of the suite itself fail by timeouts on purpose. */
const suites = files.filter((file) => !/^tests\/(campaign|suite)\//.test(file))

const wait = /^\s*\}, \d[\d_]{4,}\)|\buntil\(.*, \d[\d_]{4,}\)|\btimeout: \d[\d_]{4,}|DefaultTimeout\(\d/
const comparison =
  /expect\([^\n]*(performance\.now\(|Date\.now\(|\btookMs|\belapsedMs)[^\n]*\)\.toBeLessThan(OrEqual)?\(/

function linesWith(pattern: RegExp, allowed: RegExp): string[] {
  return suites.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .filter((line) => pattern.test(line) && !allowed.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
}

test('outside the campaign no test waits for a number of its own: use soon and startMs', () => {
  expect(linesWith(wait, /^$/)).toEqual([])
})

test('outside the campaign no test asks how long something took by the clock', () => {
  // A time of day to the minute, and a time that was waited for within one that contains it.
  expect(linesWith(comparison, /created - Date\.now\(\)|waitedMs/)).toEqual([])
})
