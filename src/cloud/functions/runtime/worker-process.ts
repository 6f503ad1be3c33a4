import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chown, link, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import path from 'node:path'
import { type Dispatcher, Pool } from 'undici'
import { type JailedProcess, lowerPriority, type Meter, openMeter } from '#platform/jail'
import type { CloudEgress } from '../broker/broker.ts'
import { maxCallDepth } from '../broker/call-depth.ts'
import type { CloudProgram } from '../functions.ts'
import { throttleStream } from './hold-to.ts'
import type { WorkerHost } from './host.ts'
import { limitsFor, outputPauseFactor, type RuntimeLimits } from './limits.ts'
import { OutputLines } from './output-lines.ts'
import { type KillReason, Watch, type WatchedCall } from './watch.ts'
import { socketName, workerConfig } from './worker-config.ts'
import { protocolHeader } from './worker-headers.ts'

/** Why a process has ended: killed, or by itself. */
export type EndReason = KillReason | 'crashed' | 'ended'

/** How much of the error output is kept, to say why a process ended. */
const keptErrorBytes = 4_096

/** One process of workerd with all functions of a cloud at one revision. */
export class WorkerProcess {
  readonly revision: number
  readonly pid: number | undefined
  /** The calls that the process works on. */
  readonly calls = new Set<WatchedCall>()
  readonly ended: Promise<EndReason>
  readonly #names: readonly string[]
  readonly #pools: readonly Pool[]
  readonly #process: JailedProcess
  readonly #egress: CloudEgress
  readonly #watch: Watch
  readonly #meter: Meter | undefined
  readonly #release: () => Promise<void>
  #errors = ''
  #killed: EndReason | undefined
  #isOver = false
  #isLow = false
  lastCallMs = performance.now()

  private constructor(parts: WorkerProcessParts) {
    const { program, started, limits } = parts
    this.revision = program.revision
    this.pid = started.pid
    this.#names = program.functions.map(({ name }) => name)
    this.#pools = parts.pools
    this.#process = started
    this.#egress = parts.egress
    this.#release = parts.release
    this.#meter = meterOf(started.pid)
    this.#watch = new Watch(this.#meter, limits, program.functions.length)
    started.stderr.on('data', (chunk: Buffer) => this.#keepErrors(chunk))
    started.stderr.on('error', () => {})
    // workerd itself writes some output for each request that fails.
    throttleStream(outputPauseFactor * limits.outputBytesPerSecond, started.stderr)
    this.ended = started.ended.then(() => this.#end())
  }

  /** Starts a process; calls that come before it is ready wait in the queues of its sockets. Throws where it cannot be started. */
  static async start(
    program: CloudProgram,
    host: WorkerHost,
    limitsOfOne: RuntimeLimits,
  ): Promise<WorkerProcess> {
    const limits = limitsFor(program.functions.length, limitsOfOne)
    await using opening = new AsyncDisposableStack()
    const folder = await host.folder()
    opening.defer(() => rm(folder, { recursive: true, force: true }))
    const user = opening.use(host.user())
    const egressPath = path.join(folder, 'egress')
    const egress = opening.use(await host.openEgress(program, egressPath))
    // Only the process may send through this socket: its own user, where it has one.
    if (user.id !== undefined) await chown(egressPath, user.id, user.id)
    const sockets = await listen(folder, program.functions.length, opening)
    const config = workerConfig(program, {
      egressAddress: host.inJail ? '/egress' : egressPath,
      protocolHeader,
      heapMb: limits.heapMb,
    })
    const started = await host.start({ config, sockets, egressPath, folder, limits, user: user.id })
    // The process has the sockets now, and nobody else may take its calls.
    for (const socket of sockets) socket.close()
    opening.defer(() => started.kill())
    const pools = sockets.map((_, index) => opening.use(poolOf(path.join(folder, socketName(index)), limits)))
    const release = opening.move()
    const worker = new WorkerProcess({
      program,
      started,
      limits,
      pools,
      egress,
      release: () => release.disposeAsync(),
    })
    new OutputLines(started.stdout, program.functions[0]?.name ?? '', {
      limits,
      prefix: host.prefix,
      log: (lines) =>
        host.log(
          program,
          lines.filter(({ name }) => worker.has(name)),
        ),
    })
    return worker
  }

  get isOver(): boolean {
    return this.#isOver
  }

  has(name: string): boolean {
    return this.#names.includes(name)
  }

  /** The end of the process's error output. */
  get errors(): string {
    return this.#errors
  }

  beginCall(depth: number) {
    const invocation = randomUUID()
    return { invocation, egress: this.#egress.begin(invocation, depth) }
  }

  async request(name: string, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    this.lastCallMs = performance.now()
    const response = await this.#pools[this.#names.indexOf(name)]!.request(options)
    this.#watch.answered()
    return response
  }

  /** Called at every look of the watchdog. */
  look(nowMs: number): void {
    const reason = this.#watch.look(this.calls, nowMs)
    if (reason) this.kill(reason)
    else if (!this.#isLow && this.#watch.hasStarted && this.pid !== undefined) {
      this.#isLow = true
      lowerPriority(this.pid)
    }
  }

  kill(reason: EndReason): void {
    this.#killed ??= reason
    this.#isOver = true
    this.#process.kill()
  }

  #keepErrors(chunk: Buffer): void {
    this.#errors = (
      this.#errors + chunk.toString('latin1', Math.max(0, chunk.length - keptErrorBytes))
    ).slice(-keptErrorBytes)
  }

  async #end(): Promise<EndReason> {
    this.#isOver = true
    this.#meter?.[Symbol.dispose]()
    // The end is reported even where this fails; a folder that stays is deleted by a later start.
    await this.#release().catch(() => undefined)
    return (
      this.#killed ??
      (/out of memory|allocation failed|mprotect\(/i.test(this.#errors) ? 'memory' : 'crashed')
    )
  }
}

interface WorkerProcessParts {
  program: CloudProgram
  started: JailedProcess
  limits: RuntimeLimits
  pools: readonly Pool[]
  egress: CloudEgress
  release: () => Promise<void>
}

/**
 * Opens a socket for each function. They listen before the process exists, which inherits them: so it may be forbidden to create any, and an early
 * call waits in the socket's own queue. Node deletes the path of a socket that it closes, so another name of it stays.
 */
async function listen(folder: string, count: number, opening: AsyncDisposableStack): Promise<Server[]> {
  const sockets: Server[] = []
  for (let index = 0; index < count; index++) {
    const place = path.join(folder, `listening${index}`)
    const server = createServer().listen(place)
    opening.defer(() => void server.close(() => {}))
    await once(server, 'listening')
    await link(place, path.join(folder, socketName(index)))
    sockets.push(server)
  }
  return sockets
}

const poolOf = (socketPath: string, { atOnce, headerBytes }: RuntimeLimits): Pool & AsyncDisposable => {
  const pool = new Pool('http://function', {
    socketPath,
    // As many connections for each depth of calls, since deeper calls are waited for.
    connections: atOnce * (maxCallDepth + 1),
    pipelining: 1,
    // The watchdog enforces the timeouts.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: headerBytes,
    keepAliveTimeout: 60_000,
  })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.destroy() })
}

function meterOf(pid: number | undefined) {
  try {
    return pid === undefined ? undefined : openMeter(pid)
  } catch {
    // The process has ended already, or this system has no procfs.
    return undefined
  }
}
