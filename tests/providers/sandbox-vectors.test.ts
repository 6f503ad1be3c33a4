/** What the embedding model of the simulator can be ordered to do. */
import { describe, expect, test } from 'vitest'
import type { EmbeddingOrder, EmbeddingResult } from '#core/spec'
import { sandboxEmbeddings } from '#sandbox'
import { patient } from './asking.ts'

const embed = (
  texts: string[],
  more: Partial<EmbeddingOrder> = {},
  signal = new AbortController().signal,
): Promise<EmbeddingResult> =>
  sandboxEmbeddings().embed({
    order: { texts, encoding: 'float', ...more },
    upstreamModel: 'embedding',
    signal,
    timeouts: { ...patient, firstByteMs: 50, totalMs: 2_000 },
    attemptId: 'a-1',
  })

describe('orders', () => {
  test.each([
    ['fault=connect', { fault: 'connect', executed: false }],
    ['fault=reset', { fault: 'reset', executed: true }],
    ['fault=timeout', { fault: 'timeout', executed: true }],
    ['fault=rate_limited retry_after_ms=7', { fault: 'rate_limited', executed: false, retryAfterMs: 7 }],
    ['fault=overloaded', { fault: 'overloaded', executed: false }],
    ['fault=overloaded after=1', { fault: 'overloaded', executed: true }],
    ['fault=unavailable', { fault: 'unavailable', status: 503 }],
    ['fault=invalid_request', { fault: 'invalid_request', status: 400, executed: false }],
    ['fault=context_overflow', { fault: 'context_overflow', executed: false }],
    ['fault=content_refused', { fault: 'content_refused', executed: false }],
    ['fault=authentication', { fault: 'authentication', executed: false }],
    ['fault=not_found', { fault: 'not_found', executed: false }],
    ['fault=cut', { fault: 'cut', executed: true }],
    ['fault=cut after=1', { fault: 'cut', executed: true }],
    ['fault=malformed', { fault: 'malformed', executed: true }],
    ['fault=aborted', { fault: 'aborted', executed: true }],
    ['fault=stall', { fault: 'timeout', executed: true }],
    ['refuse', { fault: 'content_refused', executed: false }],
    ['first_token_ms=60000', { fault: 'timeout', executed: true }],
    ['bytes=wrong', { fault: 'malformed', executed: true }],
    ['bytes=cut', { fault: 'malformed', executed: true }],
    ['bytes=other', { fault: 'invalid_request', executed: false }],
  ])('%s', async (directive, error) => {
    await expect(embed(['a', `b [[sandbox: ${directive}]]`])).rejects.toMatchObject(error)
  })

  test('a fault of another deployment, and a usage that is not told', async () => {
    const [plain] = (await embed(['a cat'])).vectors
    const other = await embed(['a cat [[sandbox: fault=reset on=embedding:b]]'])
    expect([other.vectors, other.usage]).toEqual([[plain], { input: 2 }])
    expect(await embed(['a cat [[sandbox: omit=usage]]'])).toEqual({ vectors: [plain] })
  })
})

test('fewer dimensions are the first of them, of length 1; more are refused', async () => {
  const [whole] = (await embed(['the cat sat on the mat'])).vectors
  expect(whole).toHaveLength(256)
  for (const dimensions of [1, 2, 100, 256]) {
    const [vector] = (await embed(['the cat sat on the mat'], { dimensions })).vectors
    const length = Math.hypot(...whole!.subarray(0, dimensions))
    expect(vector).toHaveLength(dimensions)
    for (const [place, value] of vector!.entries()) expect(value).toBeCloseTo(whole![place]! / length, 5)
  }
  // Texts without a word have a direction, too.
  expect([...(await embed(['؟'], { dimensions: 1 })).vectors[0]!]).toEqual([1])
  await expect(embed(['a'], { dimensions: 257 })).rejects.toMatchObject({
    executed: false,
    param: 'dimensions',
  })
})

test('a caller who leaves in the middle of many texts ends the work', async () => {
  const leaving = new AbortController()
  const texts = Array.from({ length: 2_000 }, (_, index) => `text ${index} ${'word '.repeat(200)}`)
  const asked = embed(texts, {}, leaving.signal)
  setImmediate(() => leaving.abort())
  await expect(asked).rejects.toMatchObject({ fault: 'aborted', executed: true })
})
