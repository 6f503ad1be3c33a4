import { expect, test } from 'vitest'
import { exactly, readJsonSync } from '#platform/json'
import { fromHeader, sentRequest } from './messages.ts'

test('a request that another process answers has every digit of its numbers', () => {
  const text = '{"session":{"tools":[{"parameters":{"maximum":9223372036854775807}}]},"max_seconds":60}'
  const context = { body: readJsonSync(text, { exact: true }), caller: { scopes: [] }, headers: {} }
  const sent = JSON.stringify(sentRequest(context as never))
  const { body } = readJsonSync(sent, { exact: true }) as { body: { max_seconds: number } }
  expect(JSON.stringify(exactly(body))).toBe(text)
  expect(body.max_seconds).toBe(60)
  expect(fromHeader(Buffer.from(sent).toString('base64url'))).toMatchObject({ body: { max_seconds: 60 } })
})
