/** The server that benchmarks of calls measure: on one core, with its database, the upstreams and the load on another. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../../tests/harness/free-port.ts'
import { key, type Running, root, run, runScript, started } from '../stage.ts'
import type { VoiceLoadOptions, VoiceLoadResult } from './load.ts'

export const serverCore = 0
export const loadCore = 1

const configOf = (upstream: string): string => `
providers:
  - { id: fake, base_url: ${upstream}/v1, api_key: k, dialects: [chat, speech, transcriptions, realtime] }
models:
  - { id: bench/text, deployments: [{ provider: fake, model: m }], context_length: 16000, max_output_tokens: 4000, pricing: { input_per_million: 0, output_per_million: 0 } }
  - { id: bench/voice, kind: audio, deployments: [{ provider: fake, model: m }], audio: { does: [speech], voices: [{ id: a }], formats: [pcm] }, pricing: { per_million_characters: 0 } }
  - { id: bench/ears, kind: transcription, deployments: [{ provider: fake, model: m }], pricing: { per_minute: 0 } }
  - { id: bench/talk, kind: realtime, text_model: bench/text, transcription_model: bench/ears, speech_model: bench/voice }
  - { id: bench/relay, kind: realtime, engine: relay, deployments: [{ provider: fake, model: m }], pricing: { per_minute: 0.01 } }
voice: { capacity: 100, calls_per_key: 1000 }
webrtc: { listen: [127.0.0.1], ports: [0, 0] }
`

export interface VoiceServerOptions {
  env?: Record<string, string>
  /** Of V8, beside those of `npm start`. */
  flags?: readonly string[]
}

/** Both are closed with the stack. `memoryFile`: where it writes its memory when it is asked to (memory-probe.ts). */
export async function startVoiceServer(
  stack: AsyncDisposableStack,
  folder: string,
  memoryFile: string,
  { env = {}, flags = [] }: VoiceServerOptions = {},
): Promise<Running> {
  const upstream = stack.use(await runScript('voice/upstream.ts'))
  pin(upstream.child.pid!, loadCore)
  const port = await freePort()
  const config = path.join(folder, 'voice.yaml')
  await writeFile(config, configOf(upstream.url))
  const profile = process.env['BENCH_PROFILE']
  const options = [`--import=${path.join(root, 'bench/voice/memory-probe.ts')}`]
  if (profile) options.push(`--cpu-prof --cpu-prof-dir=${profile}`)
  const server = await run(
    ['taskset', '-c', String(serverCore), process.execPath, ...flags, ...started],
    {
      ...{
        KHERAD_PORT: String(port),
        KHERAD_APPS_PORT: '0',
        KHERAD_CONFIG: config,
        KHERAD_LOG_LEVEL: 'error',
      },
      ...{ KHERAD_DATA: path.join(folder, 'data'), KHERAD_BOOTSTRAP_KEY: key },
      ...{ NODE_OPTIONS: options.join(' '), BENCH_MEMORY: memoryFile },
      ...env,
    },
    `http://127.0.0.1:${port}`,
    '/health/ready',
  )
  stack.use(server)
  for (const child of descendants(server.child.pid!)) pin(child, loadCore)
  return server
}

/** All threads of a process; what it starts later is where it is. */
function pin(process: number, core: number): void {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process)], { stdio: 'ignore' })
  } catch {
    // It has ended meanwhile.
  }
}

export function descendants(process: number): number[] {
  const children = readFileSync(`/proc/${process}/task/${process}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

export const voiceLoad = (options: VoiceLoadOptions, maxSeconds?: number): Promise<VoiceLoadResult> =>
  fromLoadCore('bench/voice/load.ts', options, maxSeconds === undefined ? {} : { maxSeconds })

/**
 * Runs a script with a JSON argument on the core of the load, and reads the JSON that it prints.
 * Throws where it printed none, in `maxSeconds` where they are named. `isNice`: all others on that core come first.
 */
export async function fromLoadCore<Result>(
  script: string,
  asked: object,
  { maxSeconds, isNice = false }: { maxSeconds?: number; isNice?: boolean } = {},
): Promise<Result> {
  const command = ['-c', String(loadCore), process.execPath, path.join(root, script), JSON.stringify(asked)]
  const polite = !isNice ? [] : ['nice', '-n', '10']
  const [program = '', ...rest] = [...polite, 'taskset', ...command]
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  const late = maxSeconds && setTimeout(() => child.kill('SIGKILL'), 1_000 * maxSeconds)
  await once(child, 'close')
  clearTimeout(late || undefined)
  return JSON.parse(out)
}
