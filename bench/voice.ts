/**
 * `npm run bench:voice -- [seconds] [calls] [part of a name]`: concurrent calls with the server on one core and the load, the upstreams and PostgreSQL on
 * another, for each engine and transport. `npm run bench:voice -- --flood [part of a name]`: what becomes of one call while others flood (voice/floods.ts).
 * What they print is described in bench/README.md.
 */
import { readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hasEspeak, spoken } from '../tests/harness/spoken.ts'
import { cpuSeconds, key, machine, temporaryFolder } from './stage.ts'
import { median, row, table } from './table.ts'
import type { CallResult } from './voice/call.ts'
import type { VoiceLoadOptions, VoiceLoadResult } from './voice/load.ts'
import type { Memory } from './voice/memory-probe.ts'
import { answerAfterMs } from './voice/realtime-upstream.ts'
import { loadCore, serverCore, startVoiceServer, voiceLoad } from './voice/server.ts'

if (process.argv[2] === '--flood') {
  const { benchFloods } = await import('./voice/floods.ts')
  process.exit(await benchFloods(process.argv[3] ?? ''))
}

const [seconds = 40, concurrent = 8] = process.argv.slice(2, 4).map(Number)
const only = process.argv[4] ?? ''
/** Of the scripted upstreams, behind the end of a turn: transcription is over by then. */
const scriptedMs: Record<string, number> = { pipeline: 450, relay: answerAfterMs }
const memoryCalls = 200

const interruptionTexts = [
  'صبر کن، یک لحظه گوش بده',
  'نه، منظورم این نبود',
  'خب حالا قیمتش چنده',
  'فردا ساعت چند باز می‌شود',
  'متوجه نشدم، دوباره بگو',
  'حرفم را قطع نکن',
  'راستی یک چیز دیگر',
  'چرا این‌قدر گرونه',
]

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const memoryFile = path.join(folder, 'memory.json')
const server = await startVoiceServer(stack, folder, memoryFile)
const pid = server.child.pid!
console.log(`${machine()}; server on core ${serverCore}, all else on core ${loadCore}; ${seconds} s\n`)

const scripted = await recordings((text) => (hasEspeak ? ofEspeak(text) : ofSandbox(text)))
const sandbox = await recordings(ofSandbox)
table([
  ...[
    'engine',
    'transport',
    'calls',
    'failed',
    'connect p50',
    'whole p50',
    'end of turn p50',
    'own p50, p95',
  ],
  ...[
    'lowered at sender p95',
    'at the ear p95',
    'late frames',
    'of a core a call',
    'load: of a core, late p99',
  ],
])
for (const [engine, model, files] of [
  ['pipeline', 'bench/talk', scripted],
  ['relay', 'bench/relay', scripted],
  ['sandbox', 'sandbox/realtime', sandbox],
] as const)
  for (const transport of ['websocket', 'webrtc'] as const)
    if (`${engine} ${transport}`.includes(only)) await measure(engine, { model, transport, ...files })
for (const transport of ['websocket', 'webrtc'] as const)
  if (`memory ${transport}`.includes(only)) await measureMemory(transport)

type Measured = Pick<VoiceLoadOptions, 'model' | 'transport' | 'question' | 'interruptions'>

async function measure(engine: string, measured: Measured): Promise<void> {
  // What is loaded at the first call is not what calls cost.
  await load({ ...measured, concurrent: 2, calls: 2, answers: 1, seconds: 20 })
  const isScripted = engine in scriptedMs
  const cpu = cpuSeconds(pid)
  const options = { ...measured, interruptions: isScripted ? measured.interruptions : [] }
  const result = await load({ ...options, concurrent, calls: concurrent, answers: 1_000, seconds })
  const core = (cpuSeconds(pid) - cpu) / result.seconds / concurrent
  const all = (name: Exclude<keyof CallResult, 'failures'>): number[] =>
    result.calls.flatMap((call) => call[name])
  const failures = result.calls.flatMap((call) => call.failures)
  const [whole, silence] = [all('whole'), all('silence')]
  const own = whole.map((ms, at) => ms - silence[at]! - (scriptedMs[engine] ?? 0))
  const [frames, late] = [sum(all('frames')), sum(all('late'))]
  row([
    ...[engine, measured.transport, String(result.calls.length), String(failures.length)],
    ...[ms(median(all('connectMs'))), ms(median(whole)), ms(median(silence))],
    `${ms(median(own))}, ${ms(percentile(own, 95))}`,
    ms(percentile(all('loweredAtSender'), 95)),
    ms(percentile(all('loweredAtEar'), 95)),
    `${((100 * late) / frames).toFixed(2)} % of ${frames}`,
    `${(100 * core).toFixed(2)} %`,
    `${(100 * result.core).toFixed(0)} %, ${ms(percentile(all('sentLate'), 99))}`,
  ])
  for (const failure of new Set(failures)) console.error(failure)
}

/** Short calls, one after another at each of the places; twice, since only what grows again is not what allocators keep. */
async function measureMemory(transport: VoiceLoadOptions['transport']): Promise<void> {
  const measured = { model: 'bench/talk', transport, ...scripted, interruptions: [] }
  await load({ ...measured, concurrent, calls: concurrent, answers: 1, seconds: 120 })
  console.log(`\nover ${transport}, before: ${shown(await memory())}`)
  for (const round of [1, 2]) {
    const { calls } = await load({ ...measured, concurrent, calls: memoryCalls, answers: 1, seconds: 600 })
    const failures = calls.flatMap((call) => call.failures)
    const after = shown(await memory())
    console.log(`after ${round * memoryCalls} calls (${failures.length} failed): ${after}`)
    for (const failure of new Set(failures)) console.error(failure)
  }
}

function shown({ heapMegabytes, externalMegabytes, residentMegabytes }: Memory): string {
  const [heap, external] = [heapMegabytes.toFixed(1), externalMegabytes.toFixed(1)]
  return `heap ${heap}, outside of it ${external}, resident ${residentMegabytes.toFixed(0)} MB`
}

async function memory(): Promise<Memory> {
  await pause(5_000)
  rmSync(memoryFile, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (;;) {
    await pause(100)
    try {
      return JSON.parse(readFileSync(memoryFile, 'utf8'))
    } catch {
      // It is not written yet.
    }
  }
}

function load(options: Omit<VoiceLoadOptions, 'url' | 'key'>): Promise<VoiceLoadResult> {
  return voiceLoad({ url: server.url, key, ...options })
}

async function recordings(speak: (text: string) => Promise<Float32Array>) {
  const files: string[] = []
  for (const text of ['پایتخت ایران کجاست؟', ...interruptionTexts]) {
    const file = path.join(folder, `${files.length}-${speak.name}-${Math.random()}.f32`)
    const samples = await speak(text)
    await writeFile(file, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    files.push(file)
  }
  const [question, ...interruptions] = files
  return { question: question!, interruptions }
}

async function ofEspeak(text: string): Promise<Float32Array> {
  return (await spoken(text, { rate: 24_000, beforeMs: 0, afterMs: 0 })).samples
}

/** Its transcription understands it. */
async function ofSandbox(text: string): Promise<Float32Array> {
  const reply = await fetch(`${server.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/speech',
      input: text,
      voice: 'sandbox-mina',
      response_format: 'pcm',
    }),
  })
  if (!reply.ok) throw new Error(await reply.text())
  const bytes = Buffer.from(await reply.arrayBuffer())
  return Float32Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(2 * at) / 32_768)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function sum(values: number[]): number {
  return values.reduce((all, one) => all + one, 0)
}

/** Nothing was measured: a dash. */
function ms(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : `${value.toFixed(0)} ms`
}

function percentile(values: number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))]
}
