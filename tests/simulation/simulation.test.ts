/**
 * The check of the checker: each of these was broken by hand, and a world noticed.
 * Within the first 200 seeds:
 *   commit: a refused hold not undone; one that was sent forgotten; a lost reply not followed by a second sending; a settlement
 *     dropped after one; sent again under a new id; answers to the wrong callers; callers kept waiting; a hold that arrives late
 *     after its refusal left standing
 *   ledger: insufficient or claimed taken for held; holds made as not started; settled at the hold; every settlement freeing its
 *     claim; a receipt that is not named as its hold
 *   process: no beat; no sweep; a sweep after a silence of its own
 *   idempotency: the fingerprint not compared; a running request told to be over
 *   paid turn, chat: a timeout freeing the claim; an answer before its settlement; a failed stream, or its failed start, not settled
 *   books: the sweep refunding a started call, or freeing its key; a second settlement charged
 *   limits of speed: a rate or a concurrency off by one; a minute of 59 or of 61 seconds; a clock that goes back; an ended or a swept call
 *     that keeps its place; the project's limits not looked at; a refusal remembered for longer, or for others
 *   what the platform says was charged: nothing, when a settlement is told twice; more than the hold, of a caller who left
 * Within 6,000: an own hold that was swept taken for somebody else's claim; a process that signs off before it is drained, does
 *   not wait for what was cut, or forgets what is to be undone
 */
import { expect, test } from 'vitest'
import { simulate } from './simulate.ts'

const first = Number(process.env['KHERAD_TEST_SEED'] ?? Date.now() % 2 ** 31)
const worlds = 200
console.log(`first of ${worlds} seeds of the simulator: ${first} (KHERAD_TEST_SEED repeats them)`)

test('in 200 worlds of crashes, pauses, outages and lost replies no call is unpaid, paid twice or run twice, and no hold is left', {
  timeout: 300_000,
}, async () => {
  const counts: Record<string, number> = {}
  for (let seed = first; seed < first + worlds; seed++) {
    const outcome = await simulate(seed)
    expect(
      outcome.violations,
      `${outcome.trace.slice(-100).join('\n')}\nnpm run simulate -- --seed ${seed}`,
    ).toEqual([])
    for (const [what, times] of Object.entries(outcome.counts)) counts[what] = (counts[what] ?? 0) + times
  }
  // Worlds in which nothing goes wrong would prove nothing.
  for (const event of [
    'crashes',
    'is paused',
    'begins to stop',
    'reply lost',
    'late',
    'replay',
    'leaves',
    'RATE_LIMITED',
    'CONCURRENCY_LIMITED',
  ])
    expect(counts[event] ?? 0, event).toBeGreaterThan(20)
})

test('the same seed is the same world, step for step; another seed is another one', async () => {
  const hashes: string[] = []
  for (const seed of [first, first + 1, first]) hashes.push((await simulate(seed)).hash)
  expect(hashes[2]).toBe(hashes[0])
  expect(hashes[1]).not.toBe(hashes[0])
})
