/** Runs cases against one open endpoint, and looks after each whether anything is broken. */
import { openWebRtc, type WebRtc } from '#platform/webrtc'
import { collectGarbage } from '../../../harness/collect-garbage.ts'
import { Random } from '../../../simulation/random.ts'
import type { FuzzContext, Target } from './context.ts'
import type { Corpus } from './corpus.ts'
import { newCertificates } from './hostile-dtls.ts'
import { type Finding, Journal } from './journal.ts'
import { callHealthy } from './lean-call.ts'
import { openTargets, type TargetName, targetNames, targetOf } from './targets.ts'

export interface TargetStats {
  cases: number
  /** Offers and connections that the endpoint refused. */
  refused: number
  cpuMs: number
  slowestMs: number
  /** The number of the slowest case. */
  slowest: number
}

export interface MemorySample {
  /** The number of the next case. */
  number: number
  rssBytes: number
  /** What is left on the heap after a collection, with the buffers beside it. */
  heldBytes: number
}

export interface FuzzStats {
  targets: Record<TargetName, TargetStats>
  healthyCalls: number
  /** Datagrams that the endpoint dropped: of strangers, malformed, or too many. */
  dropped: number
  /** Errors of the client of another implementation, which say nothing about the endpoint. */
  clientErrors: number
  memory: MemorySample[]
}

export interface FuzzerOptions {
  seed: number
  corpus: Corpus
  journal?: Journal
  found(finding: Finding): void
}

/** The time by which the clock of the endpoint goes on with each check: as many are answered as come. */
const stepMs = 20
const maxGrowthBytes = 64 * 1_048_576
/** Between two collections of garbage. */
const memoryCases = 10_000

export const noStats = (): FuzzStats => ({
  targets: Object.fromEntries(
    targetNames.map((name) => [name, { cases: 0, refused: 0, cpuMs: 0, slowestMs: 0, slowest: 0 }]),
  ) as Record<TargetName, TargetStats>,
  healthyCalls: 0,
  dropped: 0,
  clientErrors: 0,
  memory: [],
})

export class Fuzzer implements AsyncDisposable {
  readonly stats = noStats()
  readonly #options: FuzzerOptions
  readonly #journal: Journal
  readonly #rtc: WebRtc
  readonly #context: FuzzContext
  readonly #targets: Record<TargetName, Target>
  #number = 0
  #name: TargetName | 'healthy peer' = 'healthy peer'
  #isRepeat = false

  private constructor(options: FuzzerOptions, context: FuzzContext) {
    this.#options = options
    this.#rtc = context.rtc
    this.#journal = context.journal
    this.#context = { ...context, refused: () => this.#refuse() }
    this.#targets = openTargets(this.#context)
  }

  /** Opens the endpoint on a port that the system chooses. */
  static async open(options: FuzzerOptions): Promise<Fuzzer> {
    let nowMs = 0
    const fuzzer: { current?: Fuzzer } = {}
    const count = (_of: object, dropped: number): void => {
      if (fuzzer.current !== undefined) fuzzer.current.stats.dropped += dropped
    }
    const rtc = await openWebRtc(
      { listen: ['127.0.0.1'], publicIps: [], ports: [0, 0], tcp: true },
      {
        nowMs: () => nowMs,
        connectMs: Number.MAX_SAFE_INTEGER,
        metrics: { webrtcDropped: { inc: count }, webrtcConnections: { inc() {}, dec() {} } } as never,
      },
    )
    fuzzer.current = new Fuzzer(options, {
      rtc,
      corpus: options.corpus,
      journal: options.journal ?? new Journal(),
      certificates: await newCertificates(),
      step: () => {
        nowMs += stepMs
      },
      refused: () => undefined,
    })
    return fuzzer.current
  }

  #refuse(): void {
    if (this.#name !== 'healthy peer' && !this.#isRepeat) this.stats.targets[this.#name].refused++
  }

  /** Runs a case: the same number of the same seed draws the same. */
  async run(number: number): Promise<void> {
    const name = targetOf(number)
    this.#number = number
    this.#name = name
    const { maxCpuMs } = this.#targets[name]
    const firstMs = await this.#timed(name, number)
    let cpuMs = firstMs
    if (firstMs > maxCpuMs) {
      // A collection of garbage or a compilation is not there a second time.
      this.#isRepeat = true
      cpuMs = Math.min(firstMs, await this.#timed(name, number))
      this.#isRepeat = false
    }
    const stats = this.stats.targets[name]
    stats.cases++
    stats.cpuMs += firstMs
    if (cpuMs > stats.slowestMs) Object.assign(stats, { slowestMs: cpuMs, slowest: number })
    if (cpuMs > maxCpuMs) this.#find('slow', `${cpuMs.toFixed(1)} ms of processor time, twice`)
  }

  /** Resolves with the processor time of this thread, in milliseconds. */
  async #timed(name: TargetName, number: number): Promise<number> {
    this.#journal.begin(number)
    const before = process.threadCpuUsage()
    try {
      await this.#targets[name].run(new Random(Math.imul(this.#options.seed, 0x9e3779b1) ^ number))
    } catch (error) {
      this.#find('exception', String(error), error)
      await this.#targets[name].close()
    }
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }

  /** An exception or a rejection that nobody caught: in a server it would have ended the process. */
  escaped(error: unknown): void {
    if (isOfClient(error)) this.stats.clientErrors++
    else this.#find('escaped', String(error), error)
  }

  /** Closes all connections; then a healthy client has to be served, and memory, which is looked at now and then, has to be as it was. */
  async endBlock(next: number, isLast = false): Promise<void> {
    await this.#close()
    this.#name = 'healthy peer'
    this.#journal.begin(next)
    try {
      await callHealthy(this.#context)
      this.stats.healthyCalls++
    } catch (error) {
      this.#find('unhealthy', String(error), error)
    }
    if (isLast || this.stats.memory.length === 0 || next % memoryCases === 0) this.#measure(next)
  }

  #measure(number: number): void {
    collectGarbage()
    const { rss, heapUsed, external } = process.memoryUsage()
    const sample = { number, rssBytes: rss, heldBytes: heapUsed + external }
    const first = this.stats.memory[0] ?? sample
    this.stats.memory.push(sample)
    if (sample.heldBytes - first.heldBytes > maxGrowthBytes)
      this.#find('memory', `${sample.heldBytes} bytes are held, ${first.heldBytes} at first`)
  }

  #find(kind: Finding['kind'], detail: string, error?: unknown): void {
    this.#options.found({
      kind,
      target: this.#name,
      seed: this.#options.seed,
      number: this.#number,
      detail,
      stack: error instanceof Error ? error.stack : undefined,
      inputs: this.#journal.read().inputs,
    })
  }

  async #close(): Promise<void> {
    for (const target of Object.values(this.#targets)) await target.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
    await this.#rtc[Symbol.asyncDispose]()
  }
}

/** Whether an error comes from werift's DTLS, which is on the side of the client alone. */
function isOfClient(error: unknown): boolean {
  if (!(error instanceof Error)) return error === 'waitForReady timeout'
  const stack = error.stack ?? ''
  return /werift\/lib\/dtls/.test(stack) && !stack.includes('src/platform/webrtc')
}
