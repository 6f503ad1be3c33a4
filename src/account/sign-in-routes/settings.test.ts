import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'

const read = (text?: string) => loadConfig(readEnv({}), text).people

test('people come by invitation and new accounts get nothing, unless the operator says otherwise', () => {
  const standard = { signUp: 'invitation', plan: 'standard', welcomeMicrocredits: 0n, dailyMicrocredits: 0n }
  expect(read()).toEqual(standard)
  expect(read('people:\n  sign_up: open\n  plan: basic\n  credits: 5\n  daily_credits: 50\n')).toEqual({
    signUp: 'open',
    plan: 'basic',
    welcomeMicrocredits: 5_000_000n,
    dailyMicrocredits: 50_000_000n,
  })
})

test('a day that gives less than one account gets is refused, and so is an unknown way to sign up', () => {
  expect(() => read('people:\n  credits: 5\n  daily_credits: 4\n')).toThrow('daily_credits')
  expect(() => read('people:\n  sign_up: everybody\n')).toThrow('sign_up')
})
