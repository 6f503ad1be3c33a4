/** The Prometheus metrics of a process, or of all workers of a machine. */
import { collectDefaultMetrics, Gauge as PromGauge, Registry } from 'prom-client'
import { release } from '#platform/release'
import { allWorkersText } from './workers.ts'

export type { Registry } from 'prom-client'
export {
  type Count,
  Counter,
  Gauge,
  Histogram,
  type HistogramChild,
  type Labels,
  PlainCounter,
  ScrapedSeries,
} from './series.ts'
export { WorkerMetrics } from './workers.ts'

/**
 * The Prometheus metrics of this process. Labels are operations, upstreams and outcomes, never callers. Rooms add their series by declaration
 * merging, and make them in a function of the registry; `src/metrics.ts` lists these functions.
 */
export interface Metrics {
  /** The text of `GET /metrics`: for this process, or for all workers if it is one of them. */
  text(): Promise<string>
}

/** The series of all rooms. */
export type AllSeries = Omit<Metrics, 'text'>

/** Histogram buckets in seconds: for durations of seconds, and for those mostly below one millisecond. */
export const secondsBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
]
export const fineSecondsBounds = [0.00005, 0.0001, 0.00025, 0.0005, ...secondsBounds]

/** Opens the metrics. `makeSeries` registers the series of this process's rooms, in the order in which `GET /metrics` lists them. */
export function openMetrics<Own extends Partial<AllSeries>>(
  makeSeries: (registry: Registry) => Own,
  { isWorker = false } = {},
): Own & Pick<Metrics, 'text'> {
  const registry = new Registry()
  const series = makeSeries(registry)
  const all = Registry.merge([processRegistry(), registry])
  return { ...series, text: isWorker ? allWorkersText(all) : () => all.metrics() }
}

let ofProcess: Registry | undefined

/**
 * The series of the process itself: its release, memory, garbage collection, the event loop. All servers of a process share them, since prom-client
 * never removes their observers: a separate observer would keep a stopped server in memory.
 */
function processRegistry(): Registry {
  if (ofProcess) return ofProcess
  ofProcess = new Registry()
  new PromGauge({
    name: 'kherad_build_info',
    help: 'The release that runs; always 1.',
    labelNames: ['release'],
    // One for all workers of a machine, since they run the same release.
    aggregator: 'first',
    registers: [ofProcess],
  }).set({ release }, 1)
  collectDefaultMetrics({ register: ofProcess, prefix: 'kherad_' })
  return ofProcess
}
