/** Real server processes on one database, to race them and to kill them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundled } from './bundled.ts'
import { compileCache } from './compile-cache.ts'
import { freePort } from './free-port.ts'
import { controlOf, movedMsOf, type ProcessControl } from './time.ts'
import { startMs, until, WaitRanOut } from './until.ts'

export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  /** Of its second listener. */
  readonly appsUrl: string
  readonly child: ChildProcess
  /** Lets time pass for this server, which tests do in place of waiting. Not of one that was started `fromSource`. */
  readonly control: ProcessControl
  /** Until it was killed, or ended. */
  readonly isAlive: boolean
  /** All that it wrote on standard error (its log). */
  readonly log: () => string
  /** All that it printed on standard output. */
  readonly out: () => string
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
}

const root = path.resolve(import.meta.dirname, '../..')

export interface ProcessOptions {
  databaseUrl: string
  config?: string
  bootstrapKey?: string
  env?: Record<string, string>
  /** The entry file; the server's when absent. */
  entry?: string
  /** Not bundled: the entry file as it lies there, and all that it imports. */
  fromSource?: boolean
  /** Of the command line. */
  words?: readonly string[]
  /** A command that runs the rest of its line: `['setpriv', …]`. */
  under?: readonly string[]
}

/** Of the sentences that refuse a start for a wait that ran out. */
const databaseStoodStill = /\(Connection terminated due to connection timeout\)|due to statement timeout\)/

/** Starts the server (or another entry) as an operator would, but bundled, and waits until it is ready. */
export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-process-'))
  const configPath = path.join(folder, 'kherad.config.yaml')
  if (options.config !== undefined) await writeFile(configPath, options.config)
  const port = options.env?.['KHERAD_PORT'] ?? (await freePort())
  // Not the port beside it, which another process may have been given.
  const appsPort = options.env?.['KHERAD_APPS_PORT'] ?? String(await freePort())
  const entry = options.entry ?? (options.fromSource ? 'src/main.ts' : 'tests/harness/controlled-main.ts')
  const program = options.fromSource ? entry : await bundled(entry)
  const [command, ...words] = [...(options.under ?? []), process.execPath, program, ...(options.words ?? [])]
  const child = spawn(command!, words, {
    cwd: root,
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      HOME: folder,
      KHERAD_PORT: String(port),
      KHERAD_APPS_PORT: appsPort,
      KHERAD_DATA: path.join(folder, 'data'),
      TEST_CONTROL_FOLDER: folder,
      TEST_MOVED_MS: String(movedMsOf(options.databaseUrl)),
      DATABASE_URL: options.databaseUrl,
      ...(options.config !== undefined && { KHERAD_CONFIG: configPath }),
      ...(options.bootstrapKey !== undefined && { KHERAD_BOOTSTRAP_KEY: options.bootstrapKey }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr!.on('data', (text) => {
    log += text
  })
  let out = ''
  child.stdout!.on('data', (text) => {
    out += text
  })
  const gone = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const isReady = async () => {
    if (child.exitCode !== null) throw didNotStart(log)
    return fetch(`${url}/health/ready`)
      .then((reply) => reply.ok)
      .catch(() => false)
  }
  try {
    await until(isReady, startMs)
  } catch (error) {
    // The caller gets no handle, so it is ended here.
    child.kill('SIGKILL')
    if (child.exitCode === null) await gone
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const isDead = child.exitCode !== null || child.signalCode !== null
    if (isDead && !child.killed) throw new Error(`the server had died by itself: ${log}`)
    if (!isDead) child.kill(signal)
    await gone
    return child.exitCode
  }
  return {
    url,
    appsUrl: `http://127.0.0.1:${appsPort}`,
    child,
    control: controlOf(folder, options.databaseUrl),
    get isAlive() {
      return child.exitCode === null && child.signalCode === null
    },
    log: () => log,
    out: () => out,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function didNotStart(log: string): Error {
  const sentence = `the server did not start: ${log}`
  return databaseStoodStill.test(log) ? new WaitRanOut(sentence) : new Error(sentence)
}
