import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'

const read = (text: string, variables: Record<string, string> = {}) =>
  loadConfig(readEnv({ KHERAD_LOCALE: 'en', ...variables }), text).functions

test('functions run in a jail unless the file says unsafe_dev, in a word or as a member', () => {
  const jailed = { mode: 'jailed', processes: 64, packages: [], hosts: [] }
  const unsafe = { ...jailed, mode: 'unsafe_dev' }
  expect(read('')).toEqual(jailed)
  expect(read('functions:\n  processes: 64\n')).toEqual(jailed)
  expect(read('functions: unsafe_dev\n')).toEqual(unsafe)
  expect(read('functions: { mode: unsafe_dev }\n')).toEqual(unsafe)
})

test.each(['unsafe', 'UNSAFE_DEV', 'true', '1', '[unsafe_dev]', '""'])(
  'functions: %s stops the start, and the message names the place',
  (word) => expect(() => read(`functions: ${word}\n`)).toThrow(/kherad\.config\.yaml:1: functions/),
)

test.each([
  ['{ name: zod, version: 4.0.0 }', /none of the platform's own/],
  ['{ name: ../x, version: 1.0.0 }', /functions\.packages\[0\]\.name/],
  ['{ name: x, version: ^1.0.0 }', /one exact version/],
  ['{ name: x, version: latest }', /one exact version/],
  ['{ name: x, version: "file:../x" }', /one exact version/],
  ['{ name: x, version: 1.0.0 }, { name: x, version: 2.0.0 }', /not named above/],
])('a package %s stops the start', (packages, why) =>
  expect(() => read(`functions:\n  packages: [${packages}]\n`)).toThrow(why),
)

test('a package is a name of npm and one exact version', () => {
  const packages = [
    { name: 'date-fns-jalali', version: '4.1.0-0' },
    { name: '@noble/hashes', version: '1.8.0' },
  ]
  expect(read(JSON.stringify({ functions: { packages } })).packages).toEqual(packages)
})
