/**
 * Mutation check: each of these was broken by hand, and a world noticed.
 * Within the first 200 seeds:
 *   commit: a refused hold not undone; one that was sent forgotten; a lost reply not followed by a retry; a settlement
 *     dropped after one; a retry under a new id; answers to the wrong callers; callers kept waiting; a hold that arrives late
 *     after its refusal not released
 *   ledger: `insufficient` or `claimed` taken for `held`; holds made as not started; settled at the hold; every settlement freeing its
 *     claim; a receipt with another id than its hold
 *   process: no heartbeat; no sweep; a sweep after missing heartbeats of its own that neither it nor its statement minds
 *   idempotency: the fingerprint not compared; a running request reported as finished
 *   paid turn, chat: a timeout freeing the claim; an answer before its settlement; a failed stream, or its failed start, not settled
 *   rows: the sweep refunding a started call, or freeing its key; a second settlement charged
 *   rate limits: a rate or a concurrency off by one; a minute of 59 or of 61 seconds; a clock that goes back; an ended or a swept call
 *     that keeps its place; the project's limits not checked; a refusal cached for longer, or for others
 *   pictures: a hold that is charged when its process dies; a failed order charged; one repeated after it may have been drawn; rows
 *     outside of the transaction that charges; room kept after a failure, or after its call when the word of that was lost; a
 *     transaction repeated although its COMMIT may have arrived; a failure of the store told as if nothing had been ordered
 *   pictures that came in part: what may have been drawn and is not stored charged, or in no book
 *   videos (all worlds with them): a lost answer ordered again; an order that was sent and is in no row; a vanished, an ambiguous or an unreadable one that
 *     is no loss; room kept; the ceiling never reached; an answer dropped while the database is away; a job completed by two fetches
 *   the reported charge: nothing, when a settlement is sent twice; more than the hold, for a caller who disconnected
 * Within 6,000: an own hold that was swept taken for another's claim; a process that deregisters before it is drained, does
 *   not wait for interrupted calls, or forgets operations that must be undone
 */
import { expect, test } from 'vitest'
import { testSeed } from '../../harness/seed.ts'
import { simulate } from '../../simulation/simulate.ts'
import type { Planted } from '../../simulation/videos-database.ts'

const first = testSeed
const worlds = 200
console.log(`first of ${worlds} seeds of the simulator: ${first} (KHERAD_TEST_SEED repeats them)`)

test('in 200 worlds of crashes, pauses, outages and lost replies no call is unpaid, paid twice or run twice, and no hold or room is left', {
  // Measured: 155 s for 200 of them on two cores that others kept busy; there may be twice as many.
  timeout: 900_000,
}, async () => {
  const counts: Record<string, number> = {}
  // Of these there are a few in whichever worlds the seed makes; where chance has left one out, there are more worlds.
  const rare = ['RESULT_NOT_STORED', 'video UPSTREAM_FAILED', 'video CONTENT_REFUSED']
  const lacksOne = () => rare.some((event) => (counts[event] ?? 0) <= 3)
  for (let seed = first; seed < first + worlds || (lacksOne() && seed < first + 2 * worlds); seed++) {
    const outcome = await simulate(seed)
    expect(
      outcome.violations,
      // The first line stands at the end of a campaign's log, which may be all that is left of it.
      `npm run simulate -- --seed ${seed}: ${outcome.violations[0]}\n${outcome.trace.slice(-100).join('\n')}`,
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
    'video completed',
  ])
    expect(counts[event] ?? 0, event).toBeGreaterThan(20)
  for (const event of rare) expect(counts[event] ?? 0, event).toBeGreaterThan(3)
})

test.each<[Planted, RegExp]>([
  ['ordered again', /is ordered again after it may have been ordered/],
  ['loss forgotten', /loses 0 and was ordered/],
  ['charged without a file', /is charged 400000 .* in place of 0/],
])('a defect of videos that is planted is found: %s', { timeout: 600_000 }, async (planted, said) => {
  let violations = ''
  // A world may show what follows from the defect before it shows the defect itself.
  for (let seed = first; !said.test(violations) && seed < first + worlds; seed++)
    violations = (await simulate(seed, planted)).violations.join('\n')
  expect(violations).toMatch(said)
})

test('the same seed is the same world, step for step; another seed is another one', async () => {
  const hashes: string[] = []
  for (const seed of [first, first + 1, first]) hashes.push((await simulate(seed)).hash)
  expect(hashes[2]).toBe(hashes[0])
  expect(hashes[1]).not.toBe(hashes[0])
})
