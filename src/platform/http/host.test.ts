import { expect, test } from 'vitest'
import { hostPattern } from './host.ts'

test('a pattern takes one whole label', () => {
  const matches = hostPattern('{ref}.cloud.{zone}.test')
  expect(matches('x9.cloud.eu.test:81')).toEqual({ ref: 'x9', zone: 'eu' })
  for (const host of ['x.cloud..test', 'x_y.cloud.eu.test', `${'x'.repeat(64)}.cloud.eu.test`, '', undefined])
    expect(matches(host)).toBeUndefined()
})
