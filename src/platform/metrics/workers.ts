/**
 * Aggregates the metrics of all workers of a machine. Any worker can be scraped: it asks its parent process, which asks every worker. Both sides use
 * the same two messages on the IPC channel.
 */
import type { Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** One metric with its values, in the format of prom-client's registry. */
interface Figure {
  name: string
  help: string
  type: string
  aggregator: string
  values: { labels: Readonly<Record<string, string | number>>; value: number; metricName?: string }[]
}
type Figures = readonly Figure[]

type Message = { kherad: 'figures?'; id: string } | { kherad: 'figures'; id: string; figures: Figures }

/** One end of the channel: the parent's `Worker`, or `process` in a worker. */
interface ChannelEnd {
  on(event: 'message' | 'disconnect', listener: (message: unknown) => void): unknown
  send?(message: Message, handle: undefined, options: undefined, sent: (error: Error | null) => void): unknown
}

/** A worker that does not answer within this time is left out. */
const workerMs = 1000
const parentMs = 1500

/** Runs in the parent: answers each worker's request with the metrics of all workers that have joined. */
export class WorkerMetrics {
  readonly #channels = new Map<Worker, RequestFigures>()
  readonly #lastFigures = new Map<Worker, Figures>()
  #endedFigures: Promise<Figures> = Promise.resolve([])

  join(worker: Worker): void {
    this.#channels.set(
      worker,
      openChannel(worker, () => this.#ofAll()),
    )
    worker.once('exit', () => this.#leave(worker))
  }

  #leave(worker: Worker): void {
    const last = countersOnly(this.#lastFigures.get(worker) ?? [])
    this.#channels.delete(worker)
    this.#lastFigures.delete(worker)
    this.#endedFigures = this.#endedFigures.then((ended) => toFigures(sum([ended, last])))
  }

  async #ofAll(): Promise<Figures> {
    const answered = await this.#askAll()
    // The last figures of ended and of living workers are read at the same moment, so that a worker that ends now is counted exactly once.
    const ended = this.#endedFigures
    const living = Array.from(this.#lastFigures, ([worker, figures]) =>
      answered.has(worker) ? figures : countersOnly(figures),
    )
    const states = workerStates(answered.size, this.#channels.size - answered.size)
    return toFigures(sum([...living, await ended, [states]]))
  }

  /** Asks all workers and returns those that answered in time. */
  async #askAll(): Promise<Set<Worker>> {
    const answered = new Set<Worker>()
    await Promise.all(
      Array.from(this.#channels, async ([worker, ask]) => {
        const figures = await ask(workerMs)
        if (!figures || !this.#channels.has(worker)) return
        this.#lastFigures.set(worker, figures)
        answered.add(worker)
      }),
    )
    return answered
  }
}

/** Runs in a worker: returns a function that gives the text of all metrics, as aggregated by the parent. */
export function allWorkersText(own: Registry): () => Promise<string> {
  const ask = openChannel(process, () => toFigures(own))
  return async () => {
    const figures = await ask(parentMs)
    // The metrics of this worker alone would look like a drop of every counter.
    if (!figures) throw new Error('The process that started this worker does not answer.')
    return sum([figures]).metrics()
  }
}

/** Requests the figures of the other side; undefined if it does not answer or has exited. */
type RequestFigures = (timeoutMs: number) => Promise<Figures | undefined>

/** Answers requests of the other side with `figures`, and returns the function that sends requests to it. */
function openChannel(end: ChannelEnd, figures: () => Promise<Figures>): RequestFigures {
  const waiting = new Map<string, (figures: Figures | undefined) => void>()
  const send = (message: Message, failed = (): void => undefined): void =>
    void end.send?.(message, undefined, undefined, (error) => error && failed())
  end.on('message', async (message) => {
    const received = message as Message
    if (received?.kherad === 'figures') waiting.get(received.id)?.(received.figures)
    if (received?.kherad === 'figures?')
      send({ kherad: 'figures', id: received.id, figures: await figures() })
  })
  end.on('disconnect', () => {
    for (const give of waiting.values()) give(undefined)
  })
  return async (timeoutMs) => {
    const id = randomUUID()
    const answer = Promise.withResolvers<Figures | undefined>()
    const late = setTimeout(() => answer.resolve(undefined), timeoutMs)
    waiting.set(id, answer.resolve)
    send({ kherad: 'figures?', id }, () => answer.resolve(undefined))
    try {
      return await answer.promise
    } finally {
      clearTimeout(late)
      waiting.delete(id)
    }
  }
}

/** Counters of a worker that exited keep their last value: a falling sum would be read as a restart of the server. */
const countersOnly = (figures: Figures): Figures => figures.filter(({ type }) => type !== 'gauge')

const workerStates = (answered: number, silent: number): Figure => ({
  name: 'kherad_workers',
  help: 'Workers by whether they gave their figures in time; of a silent one only the counters stand here, as last heard.',
  type: 'gauge',
  aggregator: 'sum',
  values: [
    { labels: { state: 'answered' }, value: answered },
    { labels: { state: 'silent' }, value: silent },
  ],
})

/**
 * How metrics of the event loop's lag and of start times are aggregated: instead of the average lag that prom-client would compute, the maximum is
 * reported; and for start times, which it would omit, the earliest.
 */
const ours: Readonly<Record<string, string>> = { average: 'max', omit: 'min' }

const sum = (all: readonly Figures[]): Registry =>
  AggregatorRegistry.aggregate(
    all.map((figures) =>
      figures.map((figure) => ({ ...figure, aggregator: ours[figure.aggregator] ?? figure.aggregator })),
    ),
  )

const toFigures = async (registry: Registry): Promise<Figures> =>
  (await registry.getMetricsAsJSON()) as unknown as Figures
