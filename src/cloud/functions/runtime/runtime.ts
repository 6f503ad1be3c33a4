/** Runs functions in processes of this machine (docs/decisions/platform/jail.md). */
import type { CloudKey } from '#cloud/clouds'
import { Failure, fail } from '#platform/errors'
import { type Jail, openJail } from '#platform/jail'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type {
  CloudProgram,
  FunctionAnswer,
  FunctionCall,
  FunctionRuntime,
  FunctionSource,
  RuntimeState,
  TryResult,
} from '../functions.ts'
import { maskOf } from '../logs/mask.ts'
import type { FunctionsConfig } from '../settings.ts'
import { CloudFunctions } from './cloud-functions.ts'
import type { WorkerHost } from './host.ts'
import { jailedHost } from './jailed-host.ts'
import { dedicatedLimits, type RuntimeLimits, starterLimits } from './limits.ts'
import { RunFolder, sweepRunFolders } from './run-folder.ts'
import { tryProgram } from './try-program.ts'
import { unsafeHost } from './unsafe-host.ts'
import { WorkerProcess } from './worker-process.ts'

export interface RuntimeOptions {
  config: Pick<FunctionsConfig, 'mode' | 'processes'>
  log: Log
  metrics: Pick<
    Metrics,
    'functionCalls' | 'functionSeconds' | 'functionStartSeconds' | 'functionKills' | 'functionProcesses'
  >
  source: FunctionSource
  /** Opens the socket, on this path, through which the functions of one cloud send. */
  openEgress: WorkerHost['openEgress']
  limits?: Partial<RuntimeLimits>
  /** A jail that others use, too; without it the runtime opens its own. */
  jail?: Jail
}

const lookEveryMs = 20
/** The most starts at the same time; more would only make all of them late. */
const startsAtOnce = 4

export function openFunctionRuntime(options: RuntimeOptions): FunctionRuntime {
  sweepRunFolders().catch((error: unknown) =>
    options.log.warn({ err: error }, 'folders of functions that a killed server has left stay for now'),
  )
  return new Runtime(options)
}

/** Refuses a body whose stated length is too large, before anything starts. */
function refuseTooLarge({ headers }: FunctionCall, { bodyBytes: limitBytes }: RuntimeLimits): void {
  const [, stated] = headers.find(([name]) => name.toLowerCase() === 'content-length') ?? []
  if (Number(stated ?? 0) > limitBytes) fail('BODY_TOO_LARGE', { limitBytes })
}

/** What workerd and V8 say of their own end, without what functions have written to the same output. */
function crashOutput({ errors }: WorkerProcess, { secretValues }: CloudProgram): string {
  const own = errors.split('\n').filter((line) => /^(?:\*\*\*|#)/.test(line))
  return maskOf(secretValues)(own.join('\n').slice(0, 500), true)
}

class Runtime implements FunctionRuntime {
  readonly #options: RuntimeOptions
  readonly #limits: Record<CloudProgram['plan'], RuntimeLimits>
  readonly #jail: Jail
  readonly #host: WorkerHost
  readonly #folder = new RunFolder()
  readonly #clouds = new Map<string, CloudFunctions>()
  readonly #starts: (() => void)[] = []
  #startsRunning = 0
  #processes = 0
  #loggedState: RuntimeState['kind'] | undefined
  #watchdog: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: RuntimeOptions) {
    const { config, log, source, openEgress } = options
    this.#options = options
    this.#limits = {
      starter: { ...starterLimits, ...options.limits },
      dedicated: { ...dedicatedLimits, ...options.limits },
    }
    const isUnsafe = config.mode === 'unsafe_dev'
    if (isUnsafe)
      log.warn(
        { functions: 'unsafe_dev' },
        'functions run WITHOUT A JAIL here, with all that this server may do',
      )
    this.#jail = options.jail ?? openJail(log)
    this.#host = {
      ...(isUnsafe ? unsafeHost() : jailedHost(this.#jail)),
      folder: () => this.#folder.sub(),
      openEgress,
      log: (cloud, lines) => {
        if (lines.length > 0) source.log(cloud, lines)
      },
    }
  }

  async state(): Promise<RuntimeState> {
    const state = await this.#host.state()
    if (state.kind !== this.#loggedState) this.#logState(state)
    return state
  }

  async tryOut(program: CloudProgram, name: string): Promise<TryResult> {
    await this.#require()
    const worker = await this.#start(program)
    const watching = setInterval(() => worker.look(performance.now()), lookEveryMs)
    try {
      return await tryProgram(worker, name, this.#limits[program.plan])
    } finally {
      clearInterval(watching)
      worker.kill('ended')
      await worker.ended
    }
  }

  async call(call: FunctionCall): Promise<FunctionAnswer> {
    const startedMs = performance.now()
    let outcome = 'answered'
    try {
      await this.#require()
      refuseTooLarge(call, this.#limits[call.plan])
      const functions = this.#functionsOf(call)
      const isCold = !functions.hasProcess
      const answer = await functions.call(call)
      if (isCold) this.#options.metrics.functionStartSeconds.of({}).observeSince(startedMs)
      return answer
    } catch (error) {
      outcome = error instanceof Failure ? error.code : call.signal.aborted ? 'left' : 'INTERNAL'
      throw error
    } finally {
      this.#options.metrics.functionCalls.inc({ outcome })
      this.#options.metrics.functionSeconds.of({ outcome }).observeSince(startedMs)
    }
  }

  async forget(cloud: CloudKey): Promise<void> {
    const functions = this.#clouds.get(cloud.cloudId)
    this.#clouds.delete(cloud.cloudId)
    await functions?.forget()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#watchdog)
    if (!this.#options.jail) this.#jail[Symbol.dispose]()
    await Promise.all([...this.#clouds.values()].map((functions) => functions.forget()))
    await this.#folder[Symbol.asyncDispose]()
  }

  #logState(state: RuntimeState): void {
    this.#loggedState = state.kind
    const { log } = this.#options
    if (state.kind === 'refused') log.warn({ why: state.why.en }, 'functions do not run here')
    else log.info({ functions: state.kind }, 'functions run here')
  }

  async #require(): Promise<void> {
    if (this.#isClosed) fail('SERVICE_UNAVAILABLE', { why: 'stopping' })
    const state = await this.state()
    if (state.kind === 'refused') fail('FUNCTIONS_UNAVAILABLE', { why: state.why })
  }

  #functionsOf({ accountId, cloudId, plan }: FunctionCall): CloudFunctions {
    const known = this.#clouds.get(cloudId)
    if (known) return known
    const functions = new CloudFunctions({
      cloud: { accountId, cloudId },
      limits: this.#limits[plan],
      source: this.#options.source,
      start: (program) => this.#start(program),
    })
    this.#clouds.set(cloudId, functions)
    this.#watchdog ??= setInterval(() => this.#look(), lookEveryMs).unref()
    return functions
  }

  #look(): void {
    const nowMs = performance.now()
    for (const [id, functions] of this.#clouds) {
      functions.look(nowMs)
      if (functions.isGone) this.#clouds.delete(id)
    }
    if (this.#clouds.size > 0) return
    clearInterval(this.#watchdog)
    this.#watchdog = undefined
  }

  async #start(program: CloudProgram): Promise<WorkerProcess> {
    using _turn = await this.#turn()
    this.#makeRoom()
    const worker = await WorkerProcess.start(program, this.#host, this.#limits[program.plan])
    const { functionProcesses, functionKills } = this.#options.metrics
    this.#processes++
    functionProcesses.inc()
    void worker.ended.then((ending) => {
      this.#processes--
      functionProcesses.dec()
      if (ending === 'ended') return
      functionKills.inc({ reason: ending })
      const said = ending === 'crashed' ? { said: crashOutput(worker, program) } : {}
      const { mode } = this.#options.config
      this.#options.log.info(
        { functions: mode, ref: program.ref, ending, ...said },
        'a process of functions ended',
      )
    })
    return worker
  }

  async #turn(): Promise<Disposable> {
    if (this.#startsRunning >= startsAtOnce) await new Promise<void>((resolve) => this.#starts.push(resolve))
    this.#startsRunning++
    return {
      [Symbol.dispose]: () => {
        this.#startsRunning--
        this.#starts.shift()?.()
      },
    }
  }

  /** Ends the process of the idle cloud that was called longest ago. Where all are busy, there is one process more. */
  #makeRoom(): void {
    if (this.#processes < this.#options.config.processes) return
    const idle = [...this.#clouds.values()].filter((functions) => functions.isIdle && functions.hasProcess)
    idle.toSorted((one, other) => one.lastCallMs - other.lastCallMs)[0]?.endProcess()
  }
}
