import { expect, test } from 'vitest'
import { uuidv7 } from '#platform/ids'
import { type Caps, holdInTx, settleHoldInTx } from '#platform/ledger'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import { extendElsewhere } from '../../harness/extender.ts'

const take = (site: Site, { account, project, keyId }: Person, microcredits: bigint): Promise<string> => {
  const receiptId = uuidv7()
  const hold = {
    payer: { accountId: account, projectId: project, keyId },
    receiptId,
    endpoint: '/v1/test',
    microcredits,
    accepted: { statusCode: 202, reply: '{}' },
  }
  return site.db.tx((tx) => holdInTx(tx, hold, new Date())).then(() => receiptId)
}

const broken = (site: Site) => site.db.query({ text: 'select * from ledger.violations' }, [])

test.each<[string, bigint, Caps]>([
  ['the balance', 1_000n, {}],
  ['the cap of the key', 1_000_000n, { cap: 1_000n }],
])(
  'steps of two processes that extend durable holds at once never promise more than %s has, and none counts twice',
  async (_name, credits, key) => {
    await using site = await openSite()
    const person = await site.person({ credits, key })
    const [shared, first, second] = [
      await take(site, person, 10n),
      await take(site, person, 10n),
      await take(site, person, 10n),
    ]
    // 970 are left; both processes take the same 6 steps of the shared hold, and 8 of their own each: 22 times 90.
    const stepsOf = (own: string) =>
      Array.from({ length: 14 }, (_, at) =>
        at < 6
          ? { receiptId: shared, step: `shared-${at}`, microcredits: 90 }
          : { receiptId: own, step: `own-${at}`, microcredits: 90 },
      )
    const job = { databaseUrl: site.databaseUrl, accountId: person.account, parallel: true }
    const [one, other] = await Promise.all(
      [first, second].map((own) => extendElsewhere({ ...job, steps: stepsOf(own) })),
    )
    const heldOf = (said: string[]): string[] => said.filter((line) => line.endsWith(' held'))
    const distinct = new Set([
      ...heldOf(one!).map((line) => (line.startsWith('own') ? `first ${line}` : line)),
      ...heldOf(other!).map((line) => (line.startsWith('own') ? `second ${line}` : line)),
    ])
    expect(distinct.size).toBe(10)
    expect(await site.balances(person)).toEqual({ balance: credits, held: 930n })
    const receipts = await site.receipts(person)
    expect(receipts.reduce((sum, { held }) => sum + held, 0n)).toBe(930n)
    expect(await broken(site)).toEqual([])

    for (const { receipt_id: receiptId, held } of receipts)
      await site.db.tx((tx) =>
        settleHoldInTx(
          tx,
          {
            accountId: person.account,
            receiptId,
            microcredits: held,
            withinHold: true,
            state: 'completed',
            statusCode: 202,
            thresholdsPercent: [50, 80, 100],
          },
          new Date(),
        ),
      )
    expect(await site.balances(person)).toEqual({ balance: credits - 930n, held: 0n })
    expect(await broken(site)).toEqual([])
  },
)
