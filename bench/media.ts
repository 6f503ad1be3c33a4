/**
 * `npm run bench:media`: what the server adds to a picture, to the first byte of speech, to vectors of 100 texts and to the transcript of a
 * minute (each beside the same request sent to the upstream itself), its memory under 20 pictures of 10 MB at once, and under two bodies of
 * eight references of 12 MB, and the processor time of the sandbox's videos.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { encodeWhole } from '#core/sound'
import { freePort } from '../tests/harness/free-port.ts'
import {
  cpuSeconds,
  key,
  machine,
  type Running,
  residentMegabytes,
  run,
  runScript,
  started,
  temporaryFolder,
} from './stage.ts'

const rounds = Number(process.argv[2] ?? 40)
/** Part of a name: only those are measured. */
const only = process.argv[3] ?? ''
const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const configOf = (small: string, large: string) => `
providers:
  - { id: small, base_url: ${small}/v1, dialects: [images, speech, chat, transcriptions] }
  - { id: large, base_url: ${large}/v1, dialects: [images] }
models:
  - { id: bench/small, kind: image, deployments: [{ provider: small, model: a }], image: { sizes: [577x577], max_references: 8 }, pricing: { per_image: 0 } }
  - { id: bench/large, kind: image, deployments: [{ provider: large, model: a }], image: { sizes: [1826x1826] }, pricing: { per_image: 0 } }
  - { id: bench/voice, kind: audio, deployments: [{ provider: small, model: a }], audio: { voices: [{ id: a }] }, pricing: { per_minute: 0 } }
  - { id: bench/near, kind: embedding, deployments: [{ provider: small, model: a }], max_input_tokens: 8192, max_batch: 128, pricing: { input_per_million: 0 } }
  - { id: bench/scribe, kind: transcription, deployments: [{ provider: small, model: a }], transcription: { formats: [wav, mp3, webm] }, pricing: { per_minute: 0 } }
  - { id: bench/wav, kind: transcription, deployments: [{ provider: small, model: a }], pricing: { per_minute: 0 } }
audio: { max_upload_mb: 200 }
`

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const small = stack.use(await runScript('media-upstream.ts', ['1']))
const large = stack.use(await runScript('media-upstream.ts', ['10']))
const config = path.join(folder, 'media.yaml')
await writeFile(config, configOf(small.url, large.url))
const kherad = stack.use(await start())
const pid = kherad.child.pid!
console.log(`${machine()}; medians of ${rounds} calls one after the other`)

const image = { model: 'bench/small', prompt: 'a cat' }
const speech = { model: 'bench/voice', input: 'سلام', voice: 'a' }
const texts = {
  model: 'bench/near',
  input: Array.from({ length: 100 }, (_, at) => `متن شمارهٔ ${at}`),
  encoding_format: 'base64',
}
await compare('picture of 1 MB, whole', '/v1/images/generations', image, whole, 40)
await compare('speech, first byte', '/v1/audio/speech', speech, firstByte, 5)
await compare('vectors of 100 texts, whole', '/v1/embeddings', texts, whole, 5)
const minute = await recordingOf(60)
const transcripts = '/v1/audio/transcriptions'
await compare(
  'transcript of a minute as it came',
  transcripts,
  { ...minute, model: 'bench/scribe' },
  whole,
  60,
)
await compare('transcript of a minute, converted', transcripts, { ...minute, model: 'bench/wav' }, whole, 60)
const film = webmOf(minute)
/** Callers do not come one right behind another: a process that waits for the next file has time to start. */
const restMs = 2_000
if (film) {
  await compare(
    'transcript of a minute of WebM as it came',
    transcripts,
    { ...film, model: 'bench/scribe' },
    whole,
    60,
    restMs,
  )
  await compare(
    'transcript of a minute of WebM, converted',
    transcripts,
    { ...film, model: 'bench/wav' },
    whole,
    60,
    restMs,
  )
}
await memoryOf(
  '20 pictures of 10 MB at once',
  20,
  '/v1/images/generations',
  Buffer.from(JSON.stringify({ model: 'bench/large', prompt: 'a cat' })),
)
await memoryOf('two bodies of 8 references of 12 MB at once', 2, '/v1/studio/image', await heavyBody())
await memoryOfHours()
for (const [resolution, seconds] of [
  ['480p', 5],
  ['720p', 5],
  ['1080p', 30],
] as const)
  await costOfVideo(resolution, seconds)

async function start(data = 'data'): Promise<Running> {
  const port = await freePort()
  return run(
    [process.execPath, ...started],
    {
      KHERAD_PORT: String(port),
      KHERAD_APPS_PORT: '0',
      KHERAD_DATA: path.join(folder, data),
      KHERAD_CONFIG: config,
      KHERAD_BOOTSTRAP_KEY: key,
      KHERAD_LOG_LEVEL: 'error',
      ...profiling(),
    },
    `http://127.0.0.1:${port}`,
    '/health/ready',
  )
}

function profiling(): Record<string, string> {
  const profile = process.env['BENCH_PROFILE']
  return profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` } : {}
}

type Measure = (url: string, body: string) => Promise<number>

async function compare(
  name: string,
  route: string,
  body: object,
  measure: Measure,
  targetMs: number,
  restMs = 0,
): Promise<void> {
  if (!name.includes(only)) return
  const text = JSON.stringify(body)
  for (let warm = 0; warm < 5; warm++) await measure(`${kherad.url}${route}`, text)
  const own: number[] = []
  const bare: number[] = []
  const cpu = cpuSeconds(pid)
  for (let round = 0; round < rounds; round++) {
    if (restMs > 0) await pauseMs(restMs)
    own.push(await measure(`${kherad.url}${route}`, text))
    bare.push(await measure(`${small.url}${route}`, text))
  }
  const added = median(own) - median(bare)
  const cpuMs = ((cpuSeconds(pid) - cpu) * 1_000) / rounds
  console.log(
    `${name}: ${median(own).toFixed(1)} ms, upstream alone ${median(bare).toFixed(1)} ms, added ${added.toFixed(1)} ms (target ${targetMs}), ${cpuMs.toFixed(1)} ms of processor time`,
  )
}

async function whole(url: string, body: string): Promise<number> {
  const beganMs = performance.now()
  const reply = await ask(url, body)
  await reply.arrayBuffer()
  return performance.now() - beganMs
}

async function firstByte(url: string, body: string): Promise<number> {
  const beganMs = performance.now()
  const reply = await ask(url, body)
  const reader = reply.body!.getReader()
  await reader.read()
  const tookMs = performance.now() - beganMs
  while (!(await reader.read()).done);
  return tookMs
}

async function ask(url: string, body: string | Buffer): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body })
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`)
  return reply
}

async function memoryOf(name: string, count: number, route: string, body: Buffer): Promise<void> {
  if (!name.includes(only)) return
  await pauseMs(5_000)
  const idle = residentMegabytes(pid)
  let peak = idle
  let isOver = false
  const watching = (async () => {
    for (; !isOver; await pauseMs(5)) peak = Math.max(peak, residentMegabytes(pid))
  })()
  const peaks: number[] = []
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      Array.from({ length: count }, () =>
        ask(`${kherad.url}${route}`, body).then((reply) => reply.arrayBuffer()),
      ),
    )
    peaks.push(peak)
  }
  isOver = true
  await watching
  await pauseMs(8_000)
  console.log(
    `${name}: idle ${idle} MB, peak after each of 3 rounds ${peaks.join(', ')} MB, ${residentMegabytes(pid)} MB eight seconds later`,
  )
}

/** Four hours as a form, converted and cut: the most that a server has which did nothing else before. */
async function memoryOfHours(): Promise<void> {
  const name = 'four hours of MP3 at 64 kbit/s, as a form'
  if (!name.includes(only)) return
  await using server = await start('data-of-hours')
  const { audioBase64 } = await recordingOf(60)
  const minute = new Blob([Buffer.from(audioBase64, 'base64')])
  const form = new FormData()
  // Each minute is a frame longer, and four hours are the most.
  form.set('file', new Blob(Array(239).fill(minute)), 'lecture.mp3')
  form.set('model', 'bench/wav')
  const own = server.child.pid!
  const idle = residentMegabytes(own)
  const cpu = cpuSeconds(own)
  const beganMs = performance.now()
  const watching = process.env['BENCH_VERBOSE']
    ? setInterval(
        () => console.log(Math.round(performance.now() - beganMs), residentMegabytes(own), maxMegabytes(own)),
        500,
      )
    : undefined
  const reply = await fetch(`${server.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  clearInterval(watching)
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  const tookS = (performance.now() - beganMs) / 1_000
  console.log(
    `${name}: idle ${idle} MB, at most ${maxMegabytes(own)} MB, ${(cpuSeconds(own) - cpu).toFixed(1)} s of processor time, ${tookS.toFixed(0)} s`,
  )
}

/** That the process had since it began. */
function maxMegabytes(server: number): number {
  const status = readFileSync(`/proc/${server}/status`, 'latin1')
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1_024)
}

/** Of the server, its threads and its queue, from the order to the file that is stored; the job itself does not wait. */
async function costOfVideo(resolution: string, seconds: number): Promise<void> {
  const name = `sandbox video, ${seconds} s of ${resolution} with sound`
  if (!name.includes(only)) return
  const words = 'گربه‌ای سفید در کوچه‌های یزد آرام راه می‌رود و به آسمان آبی نگاه می‌کند'
  const order = {
    model: 'sandbox/video',
    prompt: `${words} [[sandbox: work_ms=0]]`,
    duration: seconds,
    resolution,
  }
  const costs: number[] = []
  let megabytes = 0
  for (let round = 0; round < 5; round++) {
    const before = cpuSeconds(pid)
    const { id, providerJobId } = await json('/v1/studio/video', order)
    for (let status = ''; status !== 'completed'; await pauseMs(250)) {
      const seen = await json('/v1/studio/video/status', { id, providerJobId })
      if (seen.status === 'failed') throw new Error(JSON.stringify(seen))
      status = seen.status
      if (seen.video) megabytes = seen.video.sizeBytes / 1e6
    }
    costs.push(cpuSeconds(pid) - before)
  }
  console.log(
    `${name}: ${median(costs).toFixed(2)} s of processor time (${costs.map((cost) => cost.toFixed(2)).join(', ')}), ${megabytes.toFixed(1)} MB`,
  )
}

// biome-ignore lint/suspicious/noExplicitAny: answers of our own routes.
async function json(route: string, body: object): Promise<any> {
  return (await ask(`${kherad.url}${route}`, JSON.stringify(body))).json()
}

async function heavyBody(): Promise<Buffer> {
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#f00' } })
    .png()
    .toBuffer()
  const bytes = Buffer.alloc(8_999_900)
  png.copy(bytes)
  const dataUrl = `data:image/png;base64,${bytes.toString('base64')}`
  return Buffer.from(
    JSON.stringify({ model: 'bench/small', prompt: 'a cat', references: Array(8).fill({ dataUrl }) }),
  )
}

/** An mp3 of 64 kbit/s whose loudness changes as that of speech does. */
async function recordingOf(seconds: number) {
  const rate = 24_000
  const samples = Float32Array.from(
    { length: rate * seconds },
    (_, at) => 0.3 * Math.sin((at * 2 * Math.PI * 220) / rate) * Math.max(0, Math.sin(at / 6_000)),
  )
  const { bytes } = await encodeWhole([{ rate, samples }], { format: 'mp3', kilobits: 64, maxBytes: 1e8 })
  return { audioBase64: Buffer.from(bytes).toString('base64'), mediaType: 'audio/mpeg' }
}

/** The same as browsers record it, where ffmpeg is there to write it. */
function webmOf({ audioBase64 }: { audioBase64: string }) {
  const args = ['-v', 'error', '-f', 'mp3', '-i', '-', '-c:a', 'libopus', '-b:a', '32k', '-f', 'webm', '-']
  const { status, stdout } = spawnSync('ffmpeg', args, {
    input: Buffer.from(audioBase64, 'base64'),
    maxBuffer: 1e7,
  })
  return status === 0 ? { audioBase64: stdout.toString('base64'), mediaType: 'audio/webm' } : undefined
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
