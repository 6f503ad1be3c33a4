/** How many places of the tests start a server of their own, which costs as much processor time as dozens of calls. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const tests = path.resolve(import.meta.dirname, '..')

/**
 * By folder. Each of these places changes its server (settings, clock, roles, timing, variables), looks at what all accounts have in common,
 * has two worlds at once with models of the same names, or is killed or measured. All others share one, and these numbers only fall.
 */
const own: Record<string, number> = {
  account: 59,
  campaign: 126,
  cli: 18,
  clients: 8,
  cloud: 18,
  conduct: 13,
  contract: 16,
  media: 55,
  platform: 51,
  providers: 1,
  sites: 10,
  text: 29,
  voice: 9,
  work: 12,
}

/** Calls of `boot`, and of what bears its name because it boots: `bootOnUpstream`. */
const call = /(?<![.\w]|function )boot[A-Z]?\w*\(/g

test('no test starts a server of its own that could use the shared one', () => {
  const counted: Record<string, number> = {}
  for (const file of globSync('*/**/*.ts', { cwd: tests })) {
    const [folder = ''] = file.split(path.sep)
    const calls = readFileSync(path.join(tests, file), 'utf8').match(call)?.length ?? 0
    if (calls > 0 && folder !== 'harness') counted[folder] = (counted[folder] ?? 0) + calls
  }
  expect(counted, 'use sharedWorld (tests/harness/shared-world.ts), or lower the number here').toEqual(own)
})
