/**
 * Every fault of an upstream, in the only piece, in the first, and in a later one: no piece is sent twice where it may have been heard, nothing is
 * charged without a stored transcript, and what was heard for nothing is the platform's loss.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Failure } from '#platform/errors'
import { until } from '../../harness/until.ts'
import { cut, json, reset, type Script, silence, stall, stream } from '../../harness/upstream.ts'
import { holdTimeouts } from '../../providers/held-timeouts.ts'
import { scriptOf, secondsOf } from './spoken.ts'
import { bootTranscription, second, type TranscriptionWorld, whole } from './world.ts'

/** Of one piece; no pause and no other timeout of a call is as long as what a journey leaves of it. */
const totalMs = 900_000
const heldFromMs = 700_000
let at: TranscriptionWorld
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  at = stack.use(await bootTranscription({ timeouts: `, timeouts: { total_ms: ${totalMs} }` }))
})
afterAll(() => stack.disposeAsync())

const inJson = { 'content-type': 'application/json' }
const untimely = ['no answer begins', 'it begins and never ends']
/** With the words that it may have been heard, and so be billed. */
const faults: [string, Script, boolean][] = [
  ['its reply is lost', reset, true],
  ['an error page comes in its place', json(200, '<!DOCTYPE html><title>502</title>'), true],
  ['an empty answer comes', json(200, ''), true],
  ['it is an answer without text', json(200, { segments: 'none' }), true],
  ['it writes without end', json(200, { text: 'بله '.repeat(10_000) }), true],
  ['the line breaks within it', stream(['{"text":"سلام', cut], inJson), true],
  ['no answer begins', silence, true],
  ['it begins and never ends', stream(['{"text":"سلام', stall], inJson), true],
  ['the upstream fails', json(500, 'oops'), true],
  ['the recording is refused', json(400, { error: { message: 'no', code: 'invalid_file' } }), false],
  ['our key is refused', json(401, { error: { message: 'no' } }), false],
]

/** What the table of tests/contract/faults has of the only piece and of the first, too. */
const ofTable: ReadonlySet<string> = new Set([
  'its reply is lost',
  'an error page comes in its place',
  'an empty answer comes',
  'the line breaks within it',
  'no answer begins',
  'it begins and never ends',
  'the upstream fails',
  'our key is refused',
])

const lengths = { 'the only piece': 20, 'the first of several': 150, 'a later one': 400 } as const

describe.each(Object.keys(lengths) as (keyof typeof lengths)[])('%s', (place) => {
  const words = scriptOf(lengths[place])
  const here = faults.filter(([name]) => place === 'a later one' || !ofTable.has(name))
  test.each(here)('%s', async (name, script, mayHaveRun) => {
    // The pieces before it are heard.
    const broken = place === 'a later one' ? 2 : 0
    at.speak(words, { instead: (request) => (request === broken ? script : undefined) })
    at.forms()
    const own = await at.newcomer()
    const paid = await own.start({ recording: await at.recorded(words) })
    const held = await own.held()
    const before = at.upstream.calls.length
    using timeouts = holdTimeouts(heldFromMs)
    const outcome = whole(paid).catch((error: unknown) => error)
    if (untimely.includes(name)) {
      // One is left: that of the request which is under way for ever.
      await until(() => at.upstream.calls.length - before > broken && timeouts.open === 1)
      timeouts.end()
    }
    const failure = (await outcome) as Failure
    expect(failure.code).toMatch(/^UPSTREAM_/)
    await at.world.settled()
    const sent = at.forms()
    expect([await own.charged(), await own.held(), await own.reserved()]).toEqual([0n, 0n, 0])
    expect(await own.files()).toEqual([])
    const isSole = place !== 'a later one'
    if (isSole) expect(sent.length).toBe(1)
    const heard = sent.map(({ file }) => Math.ceil((file.bytes.length - 44) / 32_000))
    const billed = heard.reduce((sum, one) => sum + one, 0)
    if (isSole) expect(await own.lost()).toBe(mayHaveRun ? BigInt(billed) * second : 0n)
    else {
      // All but the refused one were heard.
      const most = BigInt(billed) * second
      const lost = await own.lost()
      expect(lost).toBeGreaterThan(0n)
      expect(lost <= most && (mayHaveRun ? lost === most : lost < most)).toBe(true)
      // Whatever was under way was read to its end, and nothing was sent after the fault was known.
      expect(sent.length).toBeLessThan(1 + Math.ceil(secondsOf(words) / 30))
    }
    expect(await own.lost()).toBeLessThanOrEqual(held)
    expect(new Set(sent.map(({ file }) => file.bytes.toString('base64'))).size).toBe(sent.length)
  })
})

test('an upstream without time for a piece is asked again, and each piece is heard and paid once', async () => {
  const words = scriptOf(400)
  const busy = json(429, 'slow down', { 'retry-after': '0' })
  at.speak(words, { instead: (request) => (request === 2 ? busy : undefined) })
  at.forms()
  const own = await at.newcomer()
  const made = await whole(await own.start({ recording: await at.recorded(words) }))
  expect(made.text).toBe(words.map(({ word }) => word).join(' '))
  expect([await own.charged(), await own.lost()]).toEqual([made.charged, 0n])
  expect(at.forms().length).toBe(made.pieces + 1)
})

test('a model that repeats itself is paid for ten tokens a second at most, whatever it claims', async () => {
  const words = scriptOf(20)
  const seconds = secondsOf(words)
  const most = 100 + Math.ceil(10 * seconds)
  at.upstream.hear({
    text: 'بله '.repeat(20),
    usage: { type: 'tokens', input_tokens: 10_000_000, output_tokens: 10_000_000, total_tokens: 20_000_000 },
  })
  const own = await at.newcomer()
  const paid = await own.start({ model: 'test/tokens', recording: await at.recorded(words) })
  const held = await own.held()
  const made = await whole(paid)
  expect(made.tokens).toEqual({ input: Math.ceil(50 * seconds), output: most })
  expect([made.charged, await own.charged(), await own.lost()]).toEqual([held, held, 0n])
})

test.each([
  ['zeros', { input_tokens: 0, output_tokens: 0 }],
  ['less than nothing', { input_tokens: -4, output_tokens: -4 }],
  ['words', { input_tokens: '40', output_tokens: '9' }],
])('no recording is free: an upstream counts %s', async (_, usage) => {
  const words = scriptOf(20)
  at.upstream.hear({ text: 'سلام دنیا', usage: { type: 'tokens', ...usage } })
  const own = await at.newcomer()
  const made = await whole(await own.start({ model: 'test/tokens', recording: await at.recorded(words) }))
  expect(made.tokens).toEqual({ input: Math.ceil(25 * secondsOf(words)), output: 5 })
  expect(made.charged).toBeGreaterThan(0n)
  expect(await own.charged()).toBe(made.charged)
})

describe('a caller who leaves', () => {
  test('before anything was sent has nothing sent, and pays nothing', async () => {
    const words = scriptOf(400)
    at.speak(words)
    at.forms()
    const own = await at.newcomer()
    const leaving = new AbortController()
    const paid = await own.start({ recording: await at.recorded(words), gone: leaving.signal })
    leaving.abort()
    await expect(whole(paid)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
    expect([at.forms().length, await own.charged(), await own.lost(), await own.held()]).toEqual([
      0,
      0n,
      0n,
      0n,
    ])
  })

  test.each([20, 400])(
    'while it is heard: %d words are heard to their end, stored, and charged',
    async (count) => {
      const words = scriptOf(count)
      const leaving = new AbortController()
      at.speak(words, {
        instead: () => {
          leaving.abort()
          return undefined
        },
      })
      at.forms()
      const own = await at.newcomer()
      const made = await whole(await own.start({ recording: await at.recorded(words), gone: leaving.signal }))
      expect(made.text).toBe(words.map(({ word }) => word).join(' '))
      expect((await own.files()).map(({ id }) => id)).toEqual([made.file])
      expect([await own.charged(), await own.lost()]).toEqual([made.charged, 0n])
    },
  )
})
