import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { Counter, Gauge, Histogram, PlainCounter } from '#platform/metrics'
import { until } from '../../harness/until.ts'
import { json } from '../../harness/upstream.ts'
import { bootWatched } from './watched.ts'

/** Samples by name and labels, as they stand in the text. */
const samplesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

const gauges = [
  'kherad_open_streams',
  'kherad_open_holds',
  'kherad_ledger_queue{kind="hold"}',
  'kherad_ledger_queue{kind="settle"}',
  'kherad_database_connections{state="waiting"}',
]

test('every stage of a streamed chat is counted once, and the gauges fall back to zero', async () => {
  await using world = await bootWatched()
  const stages = ['auth', 'parse', 'hold', 'first_byte', 'first_token', 'stream', 'settle']
  const count = (samples: Map<string, number>, stage: string) =>
    samples.get(`kherad_stage_seconds_count{stage="${stage}"}`)
  const before = samplesOf(await world.metrics())
  for (const stage of stages) expect(count(before, stage)).toBe(0)

  const reply = await world.key.chat({ stream: true })
  await world.line(reply.headers.get('x-request-id')!)
  // Work of the background that comes all at once, behind a moment in which this machine stood still, waits for a connection, too.
  const after = await until(async () => {
    const samples = samplesOf(await world.metrics())
    return gauges.every((gauge) => samples.get(gauge) === 0) ? samples : undefined
  })
  for (const stage of stages) expect([stage, count(after, stage)]).toEqual([stage, 1])
  expect(after.get('kherad_ledger_batch_operations_sum')).toBe(2)
  expect(after.get('kherad_ledger_commit_seconds_count')).toBe(
    after.get('kherad_ledger_batch_operations_count'),
  )
  expect(after.get('kherad_platform_loss_microcredits_total')).toBe(0)
  expect(after.get('kherad_breaker_open{deployment="fake/upstream-model"}')).toBe(0)
  expect(after.get('kherad_key_lookups_total{result="hit"}')).toBeDefined()
  expect(after.get('kherad_key_lookups_total{result="miss"}')).toBeGreaterThanOrEqual(1)
  expect(
    after.get(
      'kherad_upstream_attempts_total{provider="fake",deployment="fake/upstream-model",outcome="answered"}',
    ),
  ).toBe(1)
})

test('an answer that is not streamed has no first token and no stream of its own', async () => {
  await using world = await bootWatched()
  const reply = await world.key.chat({})
  await world.line(reply.headers.get('x-request-id')!)
  const samples = samplesOf(await world.metrics())
  expect(samples.get('kherad_stage_seconds_count{stage="first_byte"}')).toBe(1)
  expect(samples.get('kherad_stage_seconds_count{stage="first_token"}')).toBe(0)
  expect(samples.get('kherad_stage_seconds_count{stage="stream"}')).toBe(0)
})

test('a hold that is refused is counted by its reason, and the breaker that opens is seen', async () => {
  await using poor = await bootWatched({ credits: 1n })
  expect((await poor.key.chat({ max_tokens: 9_000 })).status).toBe(402)
  expect(
    samplesOf(await poor.metrics()).get('kherad_refused_holds_total{reason="insufficient_credits"}'),
  ).toBe(1)

  await using world = await bootWatched()
  world.upstream.reply(json(401, { error: { message: 'bad key' } }))
  await until(async () => {
    await world.key.chat({})
    return samplesOf(await world.metrics()).get('kherad_breaker_open{deployment="fake/upstream-model"}') === 1
  })
})

test('the series are what Prometheus takes them for: cumulative buckets, escaped labels, one child for one set of labels', async () => {
  const registry = new Registry()
  const spreads = new Histogram(registry, { name: 's', help: 'h', labelNames: ['kind'], bounds: [1, 2] })
  for (const value of [0.5, 1, 1.5, 7]) spreads.observe({ kind: 'a"b\n' }, value)
  const counts = new Counter(registry, { name: 'c_total', help: 'h', labelNames: ['x', 'y'] })
  counts.inc({ x: 'a', y: 'b' })
  counts.inc({ y: 'b', x: 'a' }, 2)
  counts.inc({ x: 'a', y: 'c' })
  expect(counts.of({ x: 'a', y: 'b' })).toBe(counts.of({ y: 'b', x: 'a' }))
  new PlainCounter(registry, { name: 't_total', help: 'h' }).inc(5)
  const level = new Gauge(registry, { name: 'l', help: 'h' })
  level.inc(3)
  level.dec()
  expect(
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('# HELP')),
  ).toEqual([
    '# TYPE s histogram',
    's_bucket{kind="a\\"b\\n",le="1"} 2',
    's_bucket{kind="a\\"b\\n",le="2"} 3',
    's_bucket{kind="a\\"b\\n",le="+Inf"} 4',
    's_sum{kind="a\\"b\\n"} 10',
    's_count{kind="a\\"b\\n"} 4',
    '# TYPE c_total counter',
    'c_total{x="a",y="b"} 3',
    'c_total{x="a",y="c"} 1',
    '# TYPE t_total counter',
    't_total 5',
    '# TYPE l gauge',
    'l 2',
  ])
})

interface Panel {
  title: string
  targets?: { expr: string }[]
  panels?: Panel[]
}

test('every figure of the dashboard is one that the server has', async () => {
  const file = path.resolve(import.meta.dirname, '../../../deploy/grafana/kherad.json')
  const dashboard = JSON.parse(await readFile(file, 'utf8')) as { panels: Panel[]; uid: string }
  const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])])
  const expressions = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr })),
  )
  expect(expressions.length).toBeGreaterThan(15)

  await using world = await bootWatched()
  await world.key.chat({ stream: true })
  const text = await world.metrics()
  const known = new Set([...samplesOf(text).keys()].map((key) => key.split('{')[0]))
  // A counter of what has not happened yet has no sample, a histogram is never there under its bare name.
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)/gm))
    if (type !== 'histogram') known.add(name)
  for (const { title, expr } of expressions) {
    const names = expr.match(/\bkherad_[a-z0-9_]+/g) ?? []
    expect([title, names.length > 0]).toEqual([title, true])
    for (const name of names) expect([title, name, known.has(name)]).toEqual([title, name, true])
  }
})
