import { expect, test } from 'vitest'
import { addressWithoutPath, boundedText, boundedValue, maxValueBytes } from './bounds.ts'

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

test('a value of the largest size is kept as it is, and one byte more cuts its texts', () => {
  const filled = (length: number) => ({
    texts: Array.from({ length: 8 }, () => 'a'.repeat(1_000)),
    rest: 'b'.repeat(length),
  })
  const room = maxValueBytes - bytesOf(filled(0))
  expect(bytesOf(filled(room))).toBe(maxValueBytes)
  expect(boundedValue(filled(room))).toEqual(filled(room))
  const cut = boundedValue(filled(room + 1)) as { texts: string[] }
  expect(cut.texts[0]).toBe(`${'a'.repeat(199)}…`)
})

test.for([
  ['long Persian texts', { text: 'خرد'.repeat(100_000) }],
  ['many texts', Array.from({ length: 5_000 }, () => 'x'.repeat(500))],
  ['many members', Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`m${at}`, 'x'.repeat(500)]))],
  ['deep lists', Array.from({ length: 12 }).reduce<unknown>((inner) => [inner, inner], 'x'.repeat(300))],
] as const)('%s are at most as large as a row may be', ([, value]) => {
  expect(bytesOf(boundedValue(value))).toBeLessThanOrEqual(maxValueBytes)
})

test('what PostgreSQL does not store as JSON is left out: NUL, and halves of characters', () => {
  expect(boundedValue({ text: 'a\0b\ud800', 'n\0ame': 1 })).toEqual({ text: 'ab\ufffd', name: 1 })
  expect(boundedText('ab😀', 4)).toBe('ab😀')
  expect(boundedText('ab😀c', 4)).toBe('ab\ufffd…')
})

test('amounts and times are texts, and what is undefined is absent', () => {
  expect(boundedValue({ amount: 5n, at: new Date(0), nothing: undefined, none: null })).toEqual({
    amount: '5',
    at: '1970-01-01T00:00:00.000Z',
    none: null,
  })
  expect(boundedValue(undefined)).toBeNull()
})

test.for([
  ...['secret', 'client_secret', 'password', 'passwordHash', 'old_password', 'token', 'refreshToken', 'hash'],
  ...[
    'api_key',
    'apiKey',
    'code',
    'recovery_codes',
    'instructions',
    'systemPrompt',
    'secret_sealed',
    'value',
  ],
])('a member %s is refused wherever it stands', (name) => {
  expect(() => boundedValue({ settings: [{ [name]: 'x' }] })).toThrow(name)
})

test.for(['has_password', 'max_output_tokens', 'min_password', 'hash_algorithm', 'secret_name', 'key_id'])(
  'a member %s holds no secret',
  (name) => {
    expect(boundedValue({ [name]: 1 })).toEqual({ [name]: 1 })
  },
)

test('of an address only its origin is kept, because the rest of it often is a secret', () => {
  expect(addressWithoutPath('https://hooks.example.com/T0/B0/secret')).toBe('https://hooks.example.com/…')
  expect(addressWithoutPath('https://sara:pass@example.com:8443/?token=1')).toBe('https://example.com:8443/…')
  expect(addressWithoutPath('https://example.com/')).toBe('https://example.com/')
})
