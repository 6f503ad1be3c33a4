/**
 * `npm run bench:stream -- [paced] [silent] [slow] [--beside <checkout>] [--streams <number>]`: streams in number through Kherad with its
 * ledger, through another checkout of it and through a bare proxy, in one run. Without names all three parts:
 *
 * - `paced`: 1,000 streams of 20 events a second: the server's share of a core, its memory a stream, the time of each event on its way.
 * - `silent`: 4,000 streams with an event every ten seconds: what is alive in the server while they are open, twice.
 * - `slow`: quick streams without and with a caller beside them who hardly reads what comes as fast as it can.
 *
 * Each open stream is two descriptors of the server: `ulimit -n` must be above twice the number of streams.
 */
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { SlowReaderOptions, SlowReaderResult } from './slow-reader.ts'
import { jsonFrom, machine, type Running, runPaced } from './stage.ts'
import type { StreamOptions, StreamResult } from './stream-load.ts'
import { coresOf, megabytesOf, probe, type StreamSide, startStreamSides, streamCall } from './stream-sides.ts'
import { median, row, table } from './table.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { beside: { type: 'string' }, streams: { type: 'string' } },
})
const parts = { paced, silent, slow }
const names = positionals.length > 0 ? positionals : Object.keys(parts)
const maxTokens = 1_000
const quickStreams = 200

console.log(`${machine()}\n`)
for (const name of names) {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await runPaced(maxTokens, name === 'silent' ? 10_000 : 50))
  const sides = await startStreamSides(upstream, values.beside, stack)
  // Compiles the hot code; few streams, so that memory is still as small as at rest.
  for (const side of sides) await loadOf(side, 64, name === 'silent' ? 1 : 60)
  await parts[name as keyof typeof parts](sides, upstream)
  console.log('')
}

/** `tokens` of each; the first comes at once, the rest at the pace of the upstream. */
async function loadOf(
  side: StreamSide,
  streams: number,
  tokens: number,
  arrivalMs = 2_000,
): Promise<StreamResult> {
  const options: StreamOptions = { ...streamCall(side, 'Count the time.', tokens), streams, arrivalMs }
  const result = await jsonFrom<StreamResult>('bench/stream-load.ts', options)
  for (const fault of result.faults) process.stderr.write(`${side.name}: unfinished: ${fault}\n`)
  return result
}

interface PacedFigures {
  core: number
  /** By which resident memory grew for each stream. */
  kilobytes: number
  megabytes: number
}

async function paced(sides: StreamSide[]): Promise<void> {
  const streams = Number(values.streams ?? 1_000)
  const times = ['first event p50, p99 ms', 'event p50, p99 ms', 'latest event ms', 'unfinished']
  table([`${streams} streams, 20 events a second each`, 'core', 'KB a stream', 'resident MB', ...times])
  const measured = new Map<string, PacedFigures>()
  for (const side of sides) {
    const atRest = megabytesOf(side)
    const running = loadOf(side, streams, 240)
    await pause(4_000)
    const core = await coresOf(side, 7_000)
    const megabytes = megabytesOf(side)
    const { first, transit, unfinished } = await running
    const figures = { core, kilobytes: ((megabytes - atRest) * 1024) / streams, megabytes }
    measured.set(side.name, figures)
    row([
      side.name,
      ...(side.pid === undefined ? ['', '', ''] : shown(figures)),
      `${first.p50.toFixed(1)}, ${first.p99.toFixed(1)}`,
      `${transit.p50.toFixed(2)}, ${transit.p99.toFixed(1)}`,
      transit.most.toFixed(0),
      String(unfinished),
    ])
  }
  comparePaced(measured)
}

function shown({ core, kilobytes, megabytes }: PacedFigures): string[] {
  return [core.toFixed(3), kilobytes.toFixed(0), megabytes.toFixed(0)]
}

/** Against the bare proxy; the targets are this code's. */
function comparePaced(measured: Map<string, PacedFigures>): void {
  const floor = measured.get('bare proxy')!
  console.log('')
  table(['× the bare proxy', 'core (≤ 1.5)', 'KB a stream', 'resident (≤ 2)'])
  for (const [name, { core, kilobytes, megabytes }] of measured) {
    const ratios = [core / floor.core, kilobytes / floor.kilobytes, megabytes / floor.megabytes]
    if (core > 0 && name !== 'bare proxy') row([name, ...ratios.map((ratio) => ratio.toFixed(2))])
  }
}

async function silent(sides: StreamSide[]): Promise<void> {
  const streams = Number(values.streams ?? 4_000)
  const alive = ['live heap MB', 'descriptors', 'timers', 'handles']
  table([
    `${streams} streams, an event every 10 s`,
    'resident MB',
    'KB a stream',
    'core',
    ...alive,
    'unfinished',
  ])
  for (const side of sides.filter(({ pid }) => pid !== undefined)) {
    const atRest = megabytesOf(side)
    const show = async (when: string, core: string, unfinished: string): Promise<void> => {
      const resident = megabytesOf(side)
      const descriptors = readdirSync(`/proc/${side.pid}/fd`).length
      const { heapMegabytes, timers, handles } = await probe(side)
      const counts = [descriptors, timers, handles].map(String)
      const grown = (((resident - atRest) * 1024) / streams).toFixed(0)
      const memory = [resident.toFixed(0), when === 'at rest' ? '' : grown]
      const heap = heapMegabytes.toFixed(1)
      row([`${side.name}, ${when}`, ...memory, core, heap, ...counts, unfinished])
    }
    await show('at rest', (await coresOf(side, 2_000)).toFixed(3), '')
    // All are open from the eighth second to the thirtieth.
    const running = loadOf(side, streams, 4, 8_000)
    await pause(10_000)
    await show('all open', '', '')
    const core = await coresOf(side, 10_000)
    await show('10 s later', core.toFixed(3), '')
    const { unfinished } = await running
    await pause(1_000)
    await show('all ended', '', String(unfinished))
  }
}

async function slow(sides: StreamSide[], upstream: Running): Promise<void> {
  const times = ['gap p99 ms', 'event p99 ms', 'latest event ms']
  const memory = ['resident MB at most', 'slow caller read, upstream sent MB', 'unfinished']
  table([`${quickStreams} quick streams, 20 events a second each`, ...times, ...memory])
  for (const side of sides.filter(({ pid }) => pid !== undefined)) {
    const rounds = []
    for (const isBeside of [false, true, true, false]) rounds.push(await slowRound(side, upstream, isBeside))
    for (const isBeside of [false, true]) {
      const those = rounds.filter((round) => round.isBeside === isBeside)
      const middle = (of: (round: SlowRound) => number): string => median(those.map(of)).toFixed(1)
      row([
        `${side.name}, ${isBeside ? 'with' : 'without'} a slow caller`,
        middle(({ load }) => load.gap.p99),
        middle(({ load }) => load.transit.p99),
        middle(({ load }) => load.transit.most),
        middle(({ megabytes }) => megabytes),
        isBeside ? `${middle(({ read }) => read)}, ${middle(({ sent }) => sent)}` : '',
        middle(({ load }) => load.unfinished),
      ])
    }
  }
}

interface SlowRound {
  isBeside: boolean
  load: StreamResult
  /** Megabytes: of the server at most, read by the slow caller, written by the upstream of its stream. */
  megabytes: number
  read: number
  sent: number
}

async function slowRound(side: StreamSide, upstream: Running, isBeside: boolean): Promise<SlowRound> {
  const before = await floodedBytes(upstream)
  const reading = isBeside ? readSlowly(side) : undefined
  // The buffers on the way are full before the quick streams begin.
  await pause(1_000)
  let megabytes = 0
  const sampling = setInterval(() => {
    megabytes = Math.max(megabytes, megabytesOf(side))
  }, 100)
  const load = await loadOf(side, quickStreams, 100)
  clearInterval(sampling)
  const sent = (await floodedBytes(upstream)) - before
  const bytes = (await reading)?.bytes ?? 0
  return { isBeside, load, megabytes, read: bytes / 2 ** 20, sent: sent / 2 ** 20 }
}

async function readSlowly(side: StreamSide): Promise<SlowReaderResult> {
  const options: SlowReaderOptions = { ...streamCall(side, 'flood', 32_768), seconds: 9 }
  const result = await jsonFrom<SlowReaderResult>('bench/slow-reader.ts', options)
  if (result.status !== 200) throw new Error(`the slow caller of ${side.name} was answered ${result.status}`)
  return result
}

async function floodedBytes(upstream: Running): Promise<number> {
  const answer = (await (await fetch(upstream.url)).json()) as { floodedBytes: number }
  return answer.floodedBytes
}
