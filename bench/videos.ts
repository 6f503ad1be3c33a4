/**
 * `npm run bench:videos`: the processor time of one server that looks at 100 video jobs of a vendor, in the first minute, when each is looked
 * at every few seconds, and afterwards, beside the same server with none.
 */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../tests/harness/free-port.ts'
import {
  cpuSeconds,
  databaseCpuSeconds,
  key,
  machine,
  run,
  runScript,
  started,
  temporaryFolder,
} from './stage.ts'

const jobs = Number(process.argv[2] ?? 100)
const seconds = Number(process.argv[3] ?? 60)
const targetPercent = 2

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const vendor = stack.use(await runScript('video-upstream.ts', []))
const config = path.join(folder, 'videos.yaml')
await writeFile(
  config,
  `
providers:
  - { id: vendor, base_url: ${vendor.url}/v1, dialects: [openrouter] }
models:
  - id: bench/film
    kind: video
    deployments: [{ provider: vendor, model: a }]
    video: { combinations: [{ resolution: 720p, durations: [4], aspect_ratios: ["16:9"], audio: never }] }
    pricing: { per_video: 0 }
studio: { videos_running: ${jobs}, quota_mb: ${jobs * 200} }
`,
)
const port = await freePort()
const kherad = stack.use(
  await run(
    [process.execPath, ...started],
    {
      KHERAD_PORT: String(port),
      KHERAD_APPS_PORT: '0',
      KHERAD_DATA: path.join(folder, 'data'),
      KHERAD_CONFIG: config,
      KHERAD_BOOTSTRAP_KEY: key,
      KHERAD_LOG_LEVEL: 'error',
    },
    `http://127.0.0.1:${port}`,
    '/health/ready',
  ),
)
const pid = kherad.child.pid!
console.log(machine())
await pauseMs(20_000)
await measure('no video')
for (let ordered = 0; ordered < jobs; ordered++) {
  const { status } = await fetch(`${kherad.url}/v1/studio/video`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bench/film', prompt: 'a cat' }),
  })
  if (status !== 202) throw new Error(`an order was answered ${status}`)
}
await pauseMs(2_000)
await measure(`${jobs} videos, first minute`)
await measure(`${jobs} videos, afterwards`)

async function measure(name: string): Promise<void> {
  const before = await counted()
  const own = cpuSeconds(pid)
  const database = databaseCpuSeconds(pid)
  const beganMs = performance.now()
  await pauseMs(seconds * 1_000)
  const tookMs = performance.now() - beganMs
  const percent = (cpu: number): string => `${((cpu * 100_000) / tookMs).toFixed(2)} %`
  const { jobs: ordered, looks } = await counted()
  console.log(
    `${name} (${ordered} ordered, ${(((looks - before.looks) * 1_000) / tookMs).toFixed(1)} looks a second): ${percent(cpuSeconds(pid) - own)} of a core (target ${targetPercent}), its PostgreSQL ${percent(databaseCpuSeconds(pid) - database)}`,
  )
}

async function counted(): Promise<{ jobs: number; looks: number }> {
  return (await (await fetch(`${vendor.url}/counted`)).json()) as { jobs: number; looks: number }
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
