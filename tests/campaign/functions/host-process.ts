/** A real host of functions: `kherad --role functions` in an environment that holds nothing else. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { compileCache } from '../../harness/compile-cache.ts'
import { freePort } from '../../harness/free-port.ts'
import { until } from '../../harness/until.ts'

export interface HostPlace {
  port: number
  channelPort: number
  key: string
}

export const placeOf = async (key: string): Promise<HostPlace> => ({
  port: await freePort(),
  channelPort: await freePort(),
  key,
})

export interface HostProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly output: () => string
  /** What `/health/ready` says. */
  ready(): Promise<{ functions: string; connected: number }>
  kill(): Promise<void>
}

const root = path.resolve(import.meta.dirname, '../../..')

/** The process alone, which may refuse to start. */
export async function spawnHost(env: Record<string, string>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-host-'))
  const child = spawn(process.execPath, ['src/main.ts', '--role', 'functions'], {
    cwd: root,
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      HOME: folder,
      KHERAD_DATA: path.join(folder, 'data'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const gone = once(child, 'exit')
  return {
    child,
    /** With its exit code, when all that it wrote is here. */
    closed: once(child, 'close'),
    output: () => output,
    async end(signal: NodeJS.Signals) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function startHost(place: HostPlace, env: Record<string, string> = {}): Promise<HostProcess> {
  const started = await spawnHost({
    KHERAD_PORT: String(place.port),
    KHERAD_FUNCTIONS_PORT: String(place.channelPort),
    KHERAD_FUNCTIONS_KEY: place.key,
    ...env,
  })
  const ask = (): Promise<Response> => fetch(`http://127.0.0.1:${place.port}/health/ready`)
  await until(async () => {
    if (started.child.exitCode !== null) throw new Error(`the host did not start: ${started.output()}`)
    return ask().then(
      ({ ok }) => ok,
      () => false,
    )
  }, 60_000)
  return {
    child: started.child,
    output: started.output,
    ready: async () => (await (await ask()).json()) as { functions: string; connected: number },
    kill: () => started.end('SIGKILL'),
    [Symbol.asyncDispose]: () => started.end('SIGTERM'),
  }
}
