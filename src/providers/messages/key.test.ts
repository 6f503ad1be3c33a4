import { expect, test } from 'vitest'
import { addressWithKey } from './key.ts'

test('Anthropic’s own host gets the key as x-api-key alone, every other host as a bearer too', () => {
  const address = (baseUrl: string) => addressWithKey({ baseUrl, apiKey: 'k', headers: { 'x-team': 'blue' } })
  expect(address('https://api.anthropic.com/v1')).toEqual({
    baseUrl: 'https://api.anthropic.com/v1',
    headers: { 'x-api-key': 'k', 'x-team': 'blue' },
  })
  expect(address('https://openrouter.ai/api/v1').headers).toEqual({
    'x-api-key': 'k',
    authorization: 'Bearer k',
    'x-team': 'blue',
  })
})

test('without a key nothing is added', () => {
  expect(addressWithKey({ baseUrl: 'http://127.0.0.1:9000/v1' })).toEqual({
    baseUrl: 'http://127.0.0.1:9000/v1',
  })
})
