/** `npm ci` installs exactly the locked packages, from any registry. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { faultsOfLock } from '../../scripts/check-lock.ts'

const text = readFileSync(path.resolve(import.meta.dirname, '../../package-lock.json'), 'utf8')
const lock = JSON.parse(text)

/** The lock file with other words for the package `pg`. */
const withPg = (change: object): string =>
  JSON.stringify({
    ...lock,
    packages: { ...lock.packages, 'node_modules/pg': { ...lock.packages['node_modules/pg'], ...change } },
  })

test('every package of the lock file is pinned by its hash and none names a registry', () => {
  expect(Object.keys(lock.packages).length).toBeGreaterThan(200)
  expect(faultsOfLock(text)).toEqual([])
})

test.each([
  ['without a hash', { integrity: undefined }, /^node_modules\/pg has no sha512 integrity: .*npm view pg@/],
  ['with a weaker hash', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, /no sha512 integrity/],
  ['with an address', { resolved: 'https://mirror.test/pg.tgz' }, /^node_modules\/pg names where it came/],
])('a package %s fails the check', (_name, change, fault) => {
  expect(faultsOfLock(withPg(change))).toEqual([expect.stringMatching(fault)])
})
