import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openDb } from '#platform/db'
import { bucketsOf, quantile, readSamples, sumOf } from '../../cli/doctor/samples.ts'
import { until } from '../harness/until.ts'
import { json } from '../harness/upstream.ts'
import { MovableClock } from '../harness/world.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { bootWatched } from '../platform/observability/watched.ts'
import { kherad } from './command-line.ts'

interface CommandResult {
  name: string
  state: 'ok' | 'broken' | 'skipped'
  message: string
}

async function examine(
  env: Record<string, string>,
  ...words: string[]
): Promise<Record<string, CommandResult>> {
  await using folder = await temporaryFolder('live-')
  const ran = await kherad(
    { KHERAD_PORT: '0', KHERAD_LOCALE: 'en', KHERAD_DATA: folder.path, ...env },
    'doctor',
    ...words,
    '--json',
  )
  const checks: CommandResult[] = ran.json.checks
  return Object.fromEntries(checks.map((check) => [check.name, check]))
}

const states = (checks: Record<string, CommandResult>): Record<string, string> =>
  Object.fromEntries(
    Object.values(checks)
      .filter(({ name }) => name.startsWith('live_'))
      .map(({ name, state }) => [name, state]),
  )

const inOrder = {
  live_ready: 'ok',
  live_metrics: 'ok',
  live_stages: 'ok',
  live_pool: 'ok',
  live_event_loop: 'ok',
  live_loss: 'ok',
  live_breakers: 'ok',
  live_holds: 'ok',
}

test('a running server in good health is in order, and only --live asks it', async () => {
  await using world = await bootWatched({ traces: false })
  await world.key.chat({ stream: true })
  const env = { DATABASE_URL: world.databaseUrl, KHERAD_BASE_URL: world.url }
  const checks = await until(async () => {
    const seen = await examine(env, '--live')
    // What stood still for five seconds is asked again.
    return seen['live_ready']?.state === 'ok' && seen['live_pool']?.state === 'ok' ? seen : undefined
  })
  // How fast this machine is just now is not what is tested: the figures are there, fast or slow.
  expect({ ...states(checks), live_event_loop: 'ok', live_stages: 'ok' }).toEqual(inOrder)
  expect(checks['live_stages']?.message).toMatch(/99th percentile: (auth|parse|hold|settle) \d[\d.]* ms/)
  expect(states(await examine(env))).toEqual({})
})

test('a breaker that is open and a hold past its lease are named, with how to fix them', async () => {
  // However long the command takes to start, the breaker stays open and nobody sweeps.
  const held = { clock: new MovableClock(), timing: { sweepMs: 3_600_000 } }
  await using world = await bootWatched({ traces: false, ...held })
  world.upstream.reply(json(401, { error: { message: 'bad key' } }))
  await until(async () => {
    await world.key.chat({})
    return (await world.metrics()).includes('kherad_breaker_open{deployment="fake/upstream-model"} 1')
  })
  await using db = await openDb({ url: world.databaseUrl })
  await db.query(
    {
      text: `insert into ledger.holds (account_id, receipt_id, project_id, key_id, endpoint, amount, month, started, process_id, created_at, expires_at)
        select account_id, gen_random_uuid(), account_id, account_id, '/v1/chat/completions', 0, '2026-01-01', true, null, now() - interval '2 hours', now() - interval '1 hour'
        from ledger.balances limit 1`,
    },
    [],
  )
  const checks = await examine({ DATABASE_URL: world.databaseUrl, KHERAD_BASE_URL: world.url }, '--live')
  expect(states(checks)).toMatchObject({ live_ready: 'ok', live_breakers: 'broken', live_holds: 'broken' })
  expect(checks['live_breakers']?.message).toMatch(/fake\/upstream-model.*look at the provider/)
  expect(checks['live_holds']?.message).toMatch(/^1 of 1 open holds.*one server on this database has to run/)
})

/** A server that says it is ready or not, and gives these figures. */
async function serverOf(figures: string, readyStatus: number): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) =>
    response
      .writeHead(request.url === '/health/ready' ? readyStatus : 200, {
        'x-request-id': 'a',
        'request-id': 'a',
      })
      .end(figures),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const stageBuckets = (stage: string, le: string): string =>
  `kherad_stage_seconds_bucket{stage="${stage}",le="${le}"} 100
kherad_stage_seconds_bucket{stage="${stage}",le="+Inf"} 100
`
const noDatabase = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }

test('stages within their limits are told with their figures', async () => {
  const stages = ['auth', 'parse', 'hold', 'settle'].map((stage) => stageBuckets(stage, '0.05')).join('')
  await using server = await serverOf(`kherad_open_streams 0\n${stages}`, 200)
  const { live_stages } = await examine({ ...noDatabase, KHERAD_BASE_URL: server.url }, '--live')
  expect(live_stages).toMatchObject({
    state: 'ok',
    message: '99th percentile: auth 50 ms, parse 50 ms, hold 50 ms, settle 50 ms',
  })
})

test('what is off in the figures is reported stage by stage, and nothing that the figures do not hold is made up', async () => {
  await using server = await serverOf(
    `kherad_open_streams 0
kherad_stage_seconds_bucket{stage="hold",le="0.25"} 90
kherad_stage_seconds_bucket{stage="hold",le="1"} 100
kherad_stage_seconds_bucket{stage="hold",le="+Inf"} 100
${stageBuckets('auth', '0.001')}kherad_database_connections{state="busy"} 10
kherad_database_connections{state="waiting"} 7
kherad_nodejs_eventloop_lag_p99_seconds 0.345
kherad_platform_loss_microcredits_total 1500000
kherad_workers{state="answered"} 3
kherad_workers{state="silent"} 1
`,
    503,
  )
  const checks = await examine({ ...noDatabase, KHERAD_BASE_URL: server.url }, '--live')
  expect(states(checks)).toEqual({
    ...inOrder,
    live_ready: 'broken',
    live_metrics: 'broken',
    live_stages: 'broken',
    live_pool: 'broken',
    live_event_loop: 'broken',
    live_loss: 'broken',
    live_holds: 'skipped',
  })
  expect(checks['live_ready']?.message).toContain('not ready (503)')
  expect(checks['live_metrics']?.message).toMatch(/^1 of 4 workers did not give their figures/)
  expect(checks['live_stages']?.message).toMatch(/^Slow at the 99th percentile: hold 925 ms:/)
  expect(checks['live_pool']?.message).toMatch(/^7 wait for a connection and all 10 are busy/)
  expect(checks['live_event_loop']?.message).toContain('345 ms')
  expect(checks['live_loss']?.message).toContain('1.500000 credits')
})

test('a server that is away is reported once, and what stands on it is left out', async () => {
  const away = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', KHERAD_BASE_URL: 'http://127.0.0.1:1' }
  const checks = await examine(away, '--live')
  expect(states(checks)).toMatchObject({
    live_ready: 'broken',
    live_metrics: 'broken',
    live_stages: 'skipped',
    live_loss: 'skipped',
  })
  expect(checks['live_ready']?.message).toMatch(/does not answer.*KHERAD_BASE_URL/)
  const valued = await kherad({ KHERAD_LOCALE: 'en' }, 'doctor', '--live=yes')
  expect([valued.code, valued.err]).toEqual([2, expect.stringContaining('--live')])
})

test('quantiles are those of Prometheus', () => {
  const samples = readSamples(
    'h_bucket{a="x\\"y",le="1"} 50\nh_bucket{a="x\\"y",le="2"} 100\nh_bucket{a="x\\"y",le="+Inf"} 200\n# TYPE c counter\nc{k="1"} 2\nc{k="2"} 3e2\n',
  )
  const buckets = bucketsOf(samples, 'h', { a: 'x"y' })
  expect(quantile(buckets, 0.25)).toBe(1)
  expect(quantile(buckets, 0.375)).toBe(1.5)
  expect(quantile(buckets, 0.9)).toBe(2)
  expect(quantile([], 0.5)).toBeUndefined()
  expect(sumOf(samples, 'c')).toBe(302)
  expect(sumOf(samples, 'c', { k: '2' })).toBe(300)
  expect(sumOf(samples, 'missing')).toBe(0)
})
