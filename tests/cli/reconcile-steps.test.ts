/** Receipts that cover several calls, against an invoice: each call is compared with its own line. */
import { expect, test } from 'vitest'
import { ended, rowOf, scene, send } from '../crash/work-scene.ts'
import { chunk, stream, type UpstreamCall } from '../harness/upstream.ts'
import { bootWithTools, searchFee } from '../text/tools-world.ts'
import { attemptOf, reconcile, resultOf, usd } from './invoices.ts'

const header = 'attempt_id,created_at,model,input_tokens,output_tokens,cost_usd'
/** The line of a call, as the fake upstream bills it. */
const billed = (call: UpstreamCall): string => {
  const { prompt_tokens: input, completion_tokens: output } = call.usage
  const cells = [attemptOf(call), new Date().toISOString(), 'upstream-model', input, output]
  return [...cells, usd(input, 0, output)].join(',')
}
const file = (lines: readonly string[]): string => [header, ...lines].join('\n')

scene(
  'each call of a durable run is held against its own line, and one that a crash hid is told',
  async (at) => {
    const { site, person, scripts } = at
    const server = await at.start()
    const half = Promise.withResolvers<void>()
    scripts.set('second', () =>
      stream([chunk({ content: 'half' }), () => half.resolve(), new Promise(() => {})]),
    )
    const id = await send(site.client(server, person), 'first second third fourth')
    await half.promise
    await server.kill()
    const next = site.client(await at.start(), person)
    await site.endLeases()
    await ended(next, id)

    const [first, second, third, fourth] = site.upstream.calls as [
      UpstreamCall,
      UpstreamCall,
      UpstreamCall,
      UpstreamCall,
    ]
    const dearer = {
      ...third,
      usage: { ...third.usage, completion_tokens: third.usage.completion_tokens + 9 },
    }
    const hidden = { ...second, usage: { ...second.usage, prompt_tokens: 50 } }
    const lines = [first, hidden, dearer, fourth].map(billed)
    const ran = await reconcile(site, 'fake', file(lines), '--json')
    const lost = (
      await site.db.query<{ worst: bigint }>(
        { text: `select worst from work.steps where run_id = $1 and state = 'lost'` },
        [id],
      )
    )[0]!.worst
    expect(resultOf(ran)).toMatchObject({
      kinds: {
        matched: { invoice: { calls: 2 } },
        different: { invoice: { calls: 1 } },
        receipt_only: { receipts: { calls: 0 } },
      },
      lost_calls: 1,
      lost_microcredits: String(lost),
      ambiguous_receipts: 0,
      ledger_contradictions: [],
    })
    const { matched } = ran.json.kinds
    expect(matched.receipts).toEqual(matched.invoice)
    const [receipt] = await site.receipts(person)
    expect(ran.json.differences).toMatchObject([
      {
        kind: 'different',
        line: 4,
        invoice: { output_tokens: dearer.usage.completion_tokens },
        receipt: { output_tokens: third.usage.completion_tokens },
      },
      { kind: 'invoice_only', line: 3, receipt_id: receipt!.receipt_id },
    ])
    expect(ran.json.differences[1].message).toMatch(/a step of durable work whose end a crash hid/)
    // Ours, in micro-dollars: all that was paid for, but for what was lost.
    const { spent } = await rowOf(at, id)
    expect(Math.round(Number(ran.json.total.receipts.usd) * 1e9)).toBe(Number(spent - lost))
  },
)

test('each model call of an answer with hosted tools is held against its own line, and fees are not among them', async () => {
  await using world = await bootWithTools('chat', { credits: 100_000 })
  const key = await world.world.key()
  world.answers(
    { text: 'Let me look.', calls: [{ id: 'call_1', name: 'web_search', arguments: { query: 'news' } }] },
    { text: 'Here it is.', tokens: { input: 40, output: 7 } },
  )
  const reply = await key.post('/v1/responses', { input: 'News?', tools: [{ type: 'web_search' }] })
  expect(reply.status, reply.text).toBe(200)
  await world.world.settled()
  const { body: receipt } = await key.receipt(reply.headers.get('x-request-id')!)
  const attempts: { microcredits: number }[] = receipt.details.attempts
  expect(attempts.map(({ microcredits }) => microcredits)).toEqual([20_000, 54_000])
  expect(BigInt(receipt.microcredits)).toBe(74_000n + searchFee)

  const lines = world.upstream.calls.map(billed)
  expect(new Set(world.upstream.calls.map(attemptOf))).toEqual(
    new Set([1, 2].map((n) => `${receipt.id}-${n}`)),
  )
  const { databaseUrl } = world.world.app.config
  const dates = ['--from', '2026-11-19', '--to', '2026-11-21']
  const at = lines.map((line) => line.replace(/,[^,]*T[^,]*Z,/, ',2026-11-20T12:00:00Z,'))
  const ran = await reconcile({ databaseUrl: databaseUrl! }, 'fake', file(at), '--json', ...dates)
  expect(resultOf(ran)).toMatchObject({ agrees: true, kinds: { matched: { invoice: { calls: 2 } } } })
  expect(ran.json.total.receipts).toEqual(ran.json.total.invoice)
})
