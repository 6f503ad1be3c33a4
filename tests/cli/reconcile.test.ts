import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { chunk, type FakeUpstream, json, stall, stream, type UpstreamCall } from '../harness/upstream.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { bootWatched, type Watched } from '../platform/observability/watched.ts'
import { kherad, type Ran } from './command-line.ts'
import { attemptOf, day, reconcile, resultOf, usd } from './invoices.ts'

const upstreamIdOf = (call: UpstreamCall): string => `up-${attemptOf(call)}`

/** One row as an upstream would write it. */
interface Row {
  attempt_id?: string
  upstream_id?: string
  created_at: string
  model: string
  input_tokens: number
  output_tokens: number
  cost_usd: string
}

/** What this upstream bills: the tokens that it really produced, call by call; what did nothing is not billed. */
function bill(upstream: FakeUpstream, model: string, cached: Record<string, number> = {}): Row[] {
  const produced = upstream.invoice().calls
  return upstream.calls.flatMap((call, at) => {
    const { prompt_tokens: input, completion_tokens: output } = produced[at]!
    if (input + output === 0) return []
    return {
      attempt_id: attemptOf(call),
      upstream_id: upstreamIdOf(call),
      created_at: new Date().toISOString(),
      model,
      input_tokens: input,
      output_tokens: output,
      cost_usd: usd(input, cached[attemptOf(call)] ?? 0, output),
    }
  })
}

const whole =
  (input: number, output: number, cached = 0) =>
  (call: UpstreamCall) =>
    json(200, {
      id: upstreamIdOf(call),
      object: 'chat.completion',
      created: 1,
      model: 'upstream-model',
      choices: [{ index: 0, message: { role: 'assistant', content: 'well' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached },
      },
    })

const streamed = (usage: object | undefined) => (call: UpstreamCall) => {
  const id = { id: upstreamIdOf(call) }
  return stream([
    chunk({ content: 'well' }, null, id),
    chunk({}, 'stop', id),
    ...(usage ? [{ ...id, object: 'chat.completion.chunk', choices: [], usage }] : []),
    'data: [DONE]\n\n',
  ])
}

/** Whole, cached, streamed, failed over, refused, estimated, and left by its caller. */
async function mixedCalls(
  world: Watched,
): Promise<{ rows: Row[]; second: Row[]; left: string; estimated: string }> {
  const { key, upstream, second } = world
  const ids: string[] = []
  const ask = async (body: Record<string, unknown>): Promise<string> => {
    const reply = await key.chat(body)
    ids.push(reply.headers.get('x-request-id')!)
    return ids.at(-1)!
  }
  second.reply(whole(31, 7))
  upstream.reply(whole(10, 20))
  await ask({})
  await ask({})
  upstream.reply(whole(1_000, 3, 900))
  const cached = await ask({})
  upstream.reply(streamed({ prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }))
  await ask({ stream: true })
  upstream.reply(json(503, { error: { message: 'down' } }))
  await ask({})
  upstream.reply(json(400, { error: { message: 'wrong', type: 'invalid_request_error' } }))
  await ask({})
  upstream.reply(streamed(undefined))
  const estimated = await ask({ stream: true })
  upstream.reply((call) => stream([chunk({ content: 'half' }, null, { id: upstreamIdOf(call) }), stall]))
  const leaving = new AbortController()
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'go' }] })
  const reply = await key.raw('POST', '/v1/chat/completions', body, {}, leaving.signal)
  await reply.body!.getReader().read()
  leaving.abort()
  const left = reply.headers.get('x-request-id')!
  for (const id of [...ids, left]) await world.line(id)
  return {
    rows: bill(upstream, 'upstream-model', { [`${cached}-1`]: 900 }),
    second: bill(second, 'second-model'),
    left,
    estimated,
  }
}

const csv = (rows: readonly Row[], separator = ','): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))] as (keyof Row)[]
  const lines = rows.map((row) => names.map((name) => `"${row[name] ?? ''}"`).join(separator))
  return `${[names.join(separator), ...lines].join('\r\n')}\r\n`
}

interface Sides {
  invoice: { calls: number; input_tokens: number; output_tokens: number; usd: string }
  receipts: { calls: number; input_tokens: number; output_tokens: number; usd: string }
}

const tenths = (text: string): bigint => {
  const [wholePart = '', fraction = ''] = text.split('.')
  return BigInt(`${wholePart}${fraction.padEnd(12, '0')}`)
}

/** Both sides of the total are the sums of the kinds, and the invoice's is the sum of its rows. */
function addsUp(answer: { total: Sides; kinds: Record<string, Sides> }, rows: readonly Row[]): void {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  for (const side of ['invoice', 'receipts'] as const) {
    const kinds = Object.values(answer.kinds).map((kind) => kind[side])
    for (const figure of ['calls', 'input_tokens', 'output_tokens'] as const)
      expect(answer.total[side][figure]).toBe(sum(kinds.map((kind) => kind[figure])))
    expect(tenths(answer.total[side].usd)).toBe(kinds.reduce((total, kind) => total + tenths(kind.usd), 0n))
  }
  expect(answer.total.invoice.calls).toBe(rows.length)
  expect(answer.total.invoice.input_tokens).toBe(sum(rows.map((row) => row.input_tokens)))
  expect(answer.total.invoice.output_tokens).toBe(sum(rows.map((row) => row.output_tokens)))
  expect(tenths(answer.total.invoice.usd)).toBe(rows.reduce((total, row) => total + tenths(row.cost_usd), 0n))
}

const kindsOf = (ran: Ran): [string, number | null][] =>
  resultOf(ran).differences.map(({ kind, line }: { kind: string; line: number | null }) => [kind, line])

test('an honest invoice agrees to the last unit, and what we only estimated is shown as such', async () => {
  await using world = await bootWatched({ traces: false })
  const { rows, second, left, estimated } = await mixedCalls(world)
  expect(rows).toHaveLength(4)

  const other = await reconcile(world, 'second', csv(second), '--json')
  expect([other.code, other.err, kindsOf(other)]).toEqual([0, '', []])
  expect(other.json).toMatchObject({ agrees: true, ledger_contradictions: [], rows: 1 })
  addsUp(other.json, second)
  expect(other.json.total.receipts).toEqual(other.json.total.invoice)

  // The upstream bills what it wrote for the two of which we got no report, too.
  const blind = [`${estimated}-1`, `${left}-1`].map((attempt_id) => ({
    attempt_id,
    created_at: new Date().toISOString(),
    model: 'upstream-model',
    input_tokens: 999,
    output_tokens: 1,
    cost_usd: usd(999, 0, 1),
  }))
  const mine = await reconcile(world, 'fake', csv([...rows, ...blind]), '--json')
  addsUp(mine.json, [...rows, ...blind])
  expect(mine.json.kinds.matched.invoice).toEqual(mine.json.kinds.matched.receipts)
  expect(mine.json.kinds.matched.invoice.calls).toBe(4)
  expect(kindsOf(mine)).toEqual([
    ['different', 6],
    ['different', 7],
  ])
  for (const one of mine.json.differences) {
    expect(one).toMatchObject({ estimated: true, invoice: { input_tokens: 999, output_tokens: 1 } })
    expect(one.message).toMatch(/input: receipt \d+, invoice 999.*Ours is an estimate/)
  }
  expect(mine.code).toBe(1)
})

test('each kind of damage is found by its own name, and the totals still add up', async () => {
  await using world = await bootWatched({ traces: false })
  const { rows, estimated, left } = await mixedCalls(world)
  const failed = world.upstream.calls.find(({ usage }) => usage.total_tokens === 0)!
  const [first, second, third, fourth] = rows as [Row, Row, Row, Row]
  const foreign = { ...first, attempt_id: 'of-somebody-else', upstream_id: 'elsewhere' }
  const invoiced = { ...first, attempt_id: attemptOf(failed), upstream_id: upstreamIdOf(failed) }
  const dearer = { ...fourth, output_tokens: fourth.output_tokens + 2, cost_usd: usd(12, 0, 7) }
  const damaged = [second, second, third, dearer, foreign, invoiced]
  const ran = await reconcile(world, 'fake', csv(damaged), '--json')
  expect(ran.code).toBe(1)
  addsUp(resultOf(ran), damaged)
  expect(kindsOf(ran)).toEqual([
    ['different', 5],
    ['invoice_only', 6],
    ['receipt_only', null],
    ['receipt_only', null],
    ['receipt_only', null],
    ['failed_invoiced', 7],
    ['duplicate', 3],
  ])
  const found = (kind: string) => ran.json.differences.filter((one: { kind: string }) => one.kind === kind)
  expect(found('different')[0]).toMatchObject({
    upstream_id: fourth.upstream_id,
    estimated: false,
    invoice: { output_tokens: 7, usd: '0.000026' },
    receipt: { output_tokens: 5, usd: '0.000022' },
  })
  expect(
    found('receipt_only')
      .map((one: { receipt_id: string }) => one.receipt_id)
      .sort(),
  ).toEqual([first.attempt_id!.slice(0, 36), estimated, left].sort())
  expect(found('failed_invoiced')[0].outcome).toBe('unavailable')
  expect(ran.json.total.receipts.calls - ran.json.total.invoice.calls).toBe(3 - 1 - 1)
})

test('without ids, calls are matched one to one by model, tokens and time; ids that the file names otherwise are mapped', async () => {
  await using world = await bootWatched({ traces: false })
  const { rows } = await mixedCalls(world)
  const nameless = rows.map(({ created_at, model, input_tokens, output_tokens, cost_usd }) =>
    JSON.stringify({
      created_at,
      model,
      usage: { prompt_tokens: input_tokens, completion_tokens: output_tokens },
      cost: Number(cost_usd),
    }),
  )
  const twice = await reconcile(world, 'fake', [...nameless, nameless[0]].join('\n'), '--json')
  expect(resultOf(twice).kinds.matched.invoice.calls).toBe(4)
  expect(kindsOf(twice).map(([kind]) => kind)).toEqual(['invoice_only', 'receipt_only', 'receipt_only'])

  const late = nameless.map((line) => line.replace(/T\d\d:/, (hour) => (hour === 'T05:' ? 'T20:' : 'T05:')))
  const far = await reconcile(world, 'fake', late.join('\n'), '--json')
  expect(far.json.kinds.matched.invoice.calls).toBe(0)

  const renamed = csv(
    rows.map(({ attempt_id, upstream_id, ...row }) => ({ ...row, Ruf: upstream_id })) as never[],
    ';',
  )
  const mapped = await reconcile(world, 'fake', `\uFEFF${renamed}`, '--map', 'id=Ruf,usd=cost_usd', '--json')
  expect(mapped.json.kinds.matched.invoice.calls).toBe(4)
})

test('what lies outside the dates is left out on both sides', async () => {
  await using world = await bootWatched({ traces: false })
  const { rows } = await mixedCalls(world)
  const past = ['--from', '2026-01-01', '--to', '2026-01-31']
  const ran = await reconcile(world, 'fake', csv(rows), ...past, '--json')
  expect(resultOf(ran)).toMatchObject({
    agrees: true,
    rows: 4,
    rows_outside: 4,
    total: { receipts: { calls: 0 } },
  })
  const empty = await reconcile(world, 'fake', '', '--json')
  expect(empty.json).toMatchObject({ agrees: false, rows: 0, total: { invoice: { calls: 0, usd: '0' } } })
})

test('people read it in their language: a table, and every difference with its reason', async () => {
  await using world = await bootWatched({ traces: false })
  const { rows } = await mixedCalls(world)
  const english = await reconcile(world, 'fake', csv([...rows, rows[0]!]))
  expect(english.err).toBe('')
  expect(english.out).toMatch(/^fake, \S+ to \S+ \(UTC\): 5 rows on the invoice\.$/m)
  expect(english.out).toMatch(/^agree +4 +1032 \+ 48 +1032 \+ 48 +\S+ +\S+$/m)
  expect(english.out).toMatch(/^- duplicate: #6 .*\n {2}The same call has another row/m)
  expect(english.out).toContain('The ledger itself is whole.')

  await using folder = await temporaryFolder('invoice-')
  const file = path.join(folder.path, 'invoice.csv')
  await writeFile(file, csv([rows[0]!]))
  const env = { DATABASE_URL: world.databaseUrl, KHERAD_DATA: folder.path }
  const words = ['reconcile', '--provider', 'fake', '--from', day(-1), '--to', day(1), '--invoice', file]
  const persian = await kherad(env, ...words)
  expect(persian.out).toMatch(/۱ سطر در صورت‌حساب/)
  expect(persian.out).toMatch(/نیامده در صورت‌حساب/)
})

test('thousands of rows travel in batches, and a ledger that contradicts itself is reported', async () => {
  await using world = await bootWatched({ traces: false })
  const { openDb } = await import('#platform/db')
  await using db = await openDb({ url: world.databaseUrl })
  await db.query(
    {
      text: `insert into ledger.settlements (account_id, receipt_id, project_id, key_id, endpoint, state, held, charged, month, detail, created_at)
        select account_id, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, account_id, account_id, '/v1/chat/completions', 'completed', 0, 30, '2026-01-01',
          json_build_object('usage_source', 'upstream', 'tokens', json_build_object('input', n, 'output', 1),
            'attempts', json_build_array(json_build_object('provider', 'fake', 'deployment', 'fake/m', 'outcome', 'answered', 'started_ms', 1, 'first_part_ms', 2, 'upstream_id', 'c' || n))), now()
        from (select account_id from ledger.balances limit 1) one, generate_series(1, 2500) n`,
    },
    [],
  )
  const rows = Array.from({ length: 2_500 }, (_, at) => `c${at + 1},${at + 1},${at % 2 === 0 ? 1 : 2}`)
  const ran = await reconcile(world, 'fake', ['id,input_tokens,output_tokens', ...rows].join('\n'), '--json')
  expect(resultOf(ran).kinds.matched.invoice.calls).toBe(1_250)
  expect(ran.json.differences).toHaveLength(1_250)
  expect(ran.json.total.invoice).toMatchObject({
    calls: 2_500,
    input_tokens: 3_126_250,
    output_tokens: 3_750,
  })
  expect(ran.json.ledger_contradictions.length).toBeGreaterThan(0)
  expect(ran.code).toBe(1)
})

test('a file that cannot be read is refused with its line and how to fix it, and nothing is counted', async () => {
  await using world = await bootWatched({ traces: false })
  const refusal = async (text: string, ...more: string[]) => {
    const ran = await reconcile(world, 'fake', text, ...more)
    expect([ran.code, ran.out]).toEqual([more.includes('--map') && ran.code === 2 ? 2 : 1, ''])
    return ran.err
  }
  expect(await refusal('id,input_tokens\na,1\nb,many\n')).toMatch(/line 3: "many" is no number of tokens/)
  expect(await refusal('id,cost\na,"1\n')).toMatch(/line 2: this is no CSV \(a quote is not closed\)/)
  expect(await refusal('{"id":"a"}\n{"id":\n')).toMatch(/line 2: each line has to be one JSON object/)
  expect(await refusal('id,time\na,yesterday\n')).toMatch(/line 2: "yesterday" is no time/)
  expect(await refusal('color,weight\nred,5\n')).toMatch(/line 2: .*--map/)
  expect(await refusal('id\na\n', '--map', 'usd=price')).toMatch(/no column price/)
  expect(await refusal('id\na\n', '--map', 'colour=price')).toMatch(/--map is/)
  const env = { DATABASE_URL: world.databaseUrl, KHERAD_LOCALE: 'en' }
  const words = ['--provider', 'fake', '--from', day(-1), '--to', day(1), '--invoice', '/nowhere/invoice.csv']
  expect((await kherad(env, 'reconcile', ...words)).err).toMatch(/cannot be read \(ENOENT\)/)
})
