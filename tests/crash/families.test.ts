/**
 * One kill -9 of one server that is in the middle of something of every family of durable things, and one that comes in its place. Each
 * family at every other moment is a matter of the campaign's kills.
 */
import { expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { backgroundFamilies } from './families/background.ts'
import { callFamilies } from './families/calls.ts'
import { credits, type Family, type Place, Scene, type UnderWay } from './families/scene.ts'
import { deliveryFamilies, storedFamilies } from './families/stored.ts'

/**
 * Brought under way in this order, those of a line beside each other: the later, the sooner a timeout of the product would end what the test
 * makes wait, a call of ten minutes, a statement of half a minute, an attempt of fifteen seconds.
 */
const families: Family[][] = [[...callFamilies, ...backgroundFamilies], storedFamilies, deliveryFamilies]

console.log(
  'left out: dedicated clouds with their moves, backups, objects and mails, each of which needs a PostgreSQL of its own',
)

interface Begun extends UnderWay {
  name: string
  at: Place
}

test('every durable thing that is under way when its server is killed ends once, and the books are exact', async () => {
  await using scene = await Scene.open()
  await scene.start()
  const begun: Begun[] = []
  for (const line of families) begun.push(...(await Promise.all(line.map((one) => begin(scene, one)))).flat())
  await scene.kill()
  await scene.start()
  await scene.takenOver()
  const charges = await Promise.all(begun.map((one) => naming(one.name, expectEnd(one))))
  await expectExactBooks(scene, begun, charges)
})

/** None where this machine cannot have it under way, which is printed. */
async function begin(scene: Scene, { name, unavailable, begin }: Family): Promise<Begun[]> {
  const why = await unavailable?.()
  if (why !== undefined) {
    console.log(`left out: ${name}: ${why}`)
    return []
  }
  const at = await scene.place()
  return [{ name, at, ...(await naming(name, begin(at))) }]
}

/** A failure names its family. */
const naming = <T>(name: string, work: Promise<T>): Promise<T> =>
  work.catch((error: Error) => {
    error.message = `${name}: ${error.message}`
    throw error
  })

/** It ended once: what was granted is what is left and what the test counts that it cost, which its receipts say too. */
async function expectEnd({ at, ends }: Begun): Promise<bigint> {
  const { charged, lost } = await ends()
  expect(await at.site.balances(at.person)).toEqual({ balance: credits - charged, held: 0n })
  const receipts = await at.site.receipts(at.person)
  expect(receipts.filter(({ state }) => state === 'running')).toEqual([])
  expect(receipts.reduce((sum, receipt) => sum + receipt.charged, 0n)).toBe(charged)
  const losses = `select coalesce(-sum(amount), 0)::bigint as sum from ledger.entries where account_id = $1 and book = 'loss'`
  expect(await at.query(losses, [at.person.account])).toEqual([{ sum: lost }])
  return charged
}

/** Nothing is open anywhere, nobody was asked beside, and all that was granted is with the accounts or paid. */
async function expectExactBooks(
  scene: Scene,
  begun: readonly Begun[],
  charges: readonly bigint[],
): Promise<void> {
  const accounts = begun.map(({ at }) => at.person.account)
  const query = <Row>(text: string) => scene.site.db.query<Row>({ text }, [accounts])
  await until(async () => (await query('select from jobs.queue where account_id = any($1)')).length === 0)
  await scene.site.healed()
  expect(scene.unknownCalls()).toEqual([])
  const [row] = await query<{ balance: bigint }>(
    'select sum(balance)::bigint as balance from ledger.balances where account_id = any($1)',
  )
  const granted = BigInt(accounts.length) * credits
  expect(row!.balance).toBe(charges.reduce((rest, charged) => rest - charged, granted))
  const open = `select from ledger.receipts where account_id = any($1) and state = 'running'
    union all select from files.reservations where account_id = any($1)`
  expect(await query(open)).toEqual([])
}
