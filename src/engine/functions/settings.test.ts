import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'

const read = (text: string, variables: Record<string, string> = {}) =>
  loadConfig(readEnv({ KHERAD_LOCALE: 'en', ...variables }), text).functions

test('functions run in a jail unless the file says unsafe_dev, in a word or as a member', () => {
  const jailed = { mode: 'jailed', processes: 64, hosts: [] }
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
