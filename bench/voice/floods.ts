/** `npm run bench:voice -- --flood [part of a name]`: one honest call while others flood. Described in bench/README.md. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { browserPath } from '../../tests/media/browser.ts'
import { cpuSeconds, key, machine, root, temporaryFolder } from '../stage.ts'
import { median, row, table } from '../table.ts'
import type { FloodOptions, FloodResult } from './flood-load.ts'
import { fromLoadCore, loadCore, serverCore, startVoiceServer, voiceLoad } from './server.ts'

const messages = 50_000
const nicely = { maxSeconds: 150, isNice: true } as const
/** Of flooders whose process was ended. */
const nothing: FloodResult = {
  sent: Number.NaN,
  answered: Number.NaN,
  open: Number.NaN,
  seconds: nicely.maxSeconds,
}
const targets = { healthMs: 200, megabytes: 20 } as const
const restMs = 3_000
/** The young generation has, and keeps at rest, the size to which any load grows it, up to 64 MB: it is no part of what a flood adds. */
const grown = ['--min-semi-space-size=32', '--no-memory-reducer']
const callSeconds = 20

const floods: readonly (Pick<FloodOptions, 'kind' | 'peers'> & { name: string })[] = [
  { name: 'nobody floods', kind: 'none', peers: 0 },
  { name: 'data channel, one browser', kind: 'channel', peers: 1 },
  { name: 'data channel, eight at once', kind: 'channel', peers: 8 },
  { name: 'WebSocket calls, eight', kind: 'socket', peers: 8 },
  { name: 'checks of ICE, eight', kind: 'checks', peers: 8 },
  { name: 'DTLS handshake records, eight', kind: 'handshake', peers: 8 },
  { name: 'ICE-TCP frames, eight', kind: 'frames', peers: 8 },
]

/** Resolves with the exit code: 1 where a target was missed. */
export async function benchFloods(only: string): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const folder = await temporaryFolder(stack)
  const server = await startVoiceServer(stack, folder, path.join(folder, 'memory.json'), { flags: grown })
  const pid = server.child.pid!
  const question = path.join(folder, 'question.f32')
  await writeFile(question, await spokenQuestion(server.url))
  console.log(`${machine()}; server on core ${serverCore}, all else on core ${loadCore}\n`)
  table([
    ...['flood', 'health p50', 'most', 'server', 'more memory', 'answers', 'the other call'],
    ...['flooders', 'targets'],
  ])
  // What is loaded and grown at the first calls, and what nine of them take, is not what a flood costs.
  const honest = { url: server.url, key, model: 'bench/talk', transport: 'webrtc', question } as const
  const calls = { ...honest, interruptions: [], concurrent: 1, calls: 1 }
  await voiceLoad({ ...calls, concurrent: 9, calls: 18, answers: 2, seconds: 30 })
  const few: FloodOptions = {
    url: server.url,
    key,
    kind: browserPath ? 'channel' : 'checks',
    peers: 8,
    messages: 2_000,
  }
  await fromLoadCore('bench/voice/flood-load.ts', few, nicely)
  let missed = 0
  for (const { name, ...flood } of floods) {
    if (!name.includes(only) || (flood.kind === 'channel' && browserPath === undefined)) continue
    await pause(restMs)
    const before = residentMegabytes(pid)
    const cpu = cpuSeconds(pid)
    const health = watch(`${server.url}/health/ready`)
    const memory = sampled(() => residentMegabytes(pid))
    // One whose connection broke may not come to its end.
    const call = voiceLoad({ ...calls, answers: 1_000, seconds: callSeconds }, 2 * callSeconds).catch(
      () => undefined,
    )
    await pause(restMs)
    const asked: FloodOptions = { url: server.url, key, messages, ...flood }
    const [flooded, other] = await Promise.all([
      fromLoadCore<FloodResult>('bench/voice/flood-load.ts', asked, nicely).catch(() => nothing),
      call,
    ])
    const took = await health()
    const more = memory() - before
    const honestCall = other?.calls[0]
    const failures = honestCall?.failures ?? ['it did not end']
    const isUnbroken = failures.length === 0 && honestCall!.whole.length > 0
    const most = Math.max(...took)
    const isMet = most <= targets.healthMs && more <= targets.megabytes && isUnbroken
    if (!isMet) missed++
    row([
      ...[
        name,
        `${median(took)?.toFixed(1)} ms`,
        `${most.toFixed(0)} ms (${took.indexOf(most)} of ${took.length})`,
      ],
      ...[`${(cpuSeconds(pid) - cpu).toFixed(1)} s CPU`, `${more.toFixed(0)} MB`],
      `${honestCall?.whole.length ?? 0}, p50 ${median(honestCall?.whole ?? [])?.toFixed(0)} ms`,
      isUnbroken ? 'unbroken' : `broken: ${failures.slice(0, 2).join(', ')}`,
      `${flooded.sent} sent in ${flooded.seconds.toFixed(1)} s, ${flooded.answered} answered, ${flooded.open} of ${flood.peers} open`,
      isMet ? 'met' : 'missed',
    ])
  }
  return missed > 0 ? 1 : 0
}

/** Asks each 50 ms from a process of its own. Resolves with the milliseconds of each answer. */
function watch(url: string): () => Promise<number[]> {
  const script = path.join(root, 'bench/health-watch.ts')
  const child = spawn('taskset', ['-c', String(loadCore), process.execPath, script, url, '50'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return async () => {
    child.send('stop')
    const [took] = (await once(child, 'message')) as [number[]]
    return took
  }
}

/** The largest so far. */
function sampled(value: () => number): () => number {
  let most = value()
  const timer = setInterval(() => {
    most = Math.max(most, value())
  }, 100)
  return () => {
    clearInterval(timer)
    return most
  }
}

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

async function spokenQuestion(url: string): Promise<Uint8Array> {
  const reply = await fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: 'sandbox/speech', input: 'پایتخت ایران کجاست؟' },
      ...{ voice: 'sandbox-mina', response_format: 'pcm' },
    }),
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  const samples = Float32Array.from(
    { length: bytes.length >> 1 },
    (_, at) => bytes.readInt16LE(2 * at) / 32_768,
  )
  return new Uint8Array(samples.buffer)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
