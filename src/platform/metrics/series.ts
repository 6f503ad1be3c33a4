/**
 * Metric series that take nanoseconds to update. prom-client hashes the labels on every call, a dozen times per request; here a child is looked up by
 * its label values, or kept by code that uses it often. The series are registered in prom-client's registry beside its own metrics, so that its text,
 * its JSON and its aggregation over processes include both.
 */
import type { Metric, Registry } from 'prom-client'

export type Labels<Name extends string> = Readonly<Record<Name, string | number>>

interface Value {
  labels: Readonly<Record<string, string | number>>
  value: number
  metricName?: string
}

type MetricType = 'counter' | 'gauge' | 'histogram'

export interface SeriesOptions<Name extends string = never> {
  name: string
  help: string
  labelNames?: readonly Name[]
  /** How the values of several workers are aggregated; the sum by default. */
  aggregator?: 'sum' | 'max'
}

/** The members that prom-client's registry needs of a metric. */
abstract class Series<Name extends string> {
  readonly name: string
  readonly help: string
  readonly aggregator: 'sum' | 'max'
  readonly type: MetricType
  protected readonly labelNames: readonly Name[]

  constructor(registry: Registry, type: MetricType, naming: SeriesOptions<Name>) {
    this.name = naming.name
    this.help = naming.help
    this.type = type
    this.labelNames = naming.labelNames ?? []
    this.aggregator = naming.aggregator ?? 'sum'
    // The registry uses only these members; its types name prom-client's own classes.
    registry.registerMetric(this as unknown as Metric)
  }

  get(): { name: string; help: string; type: MetricType; aggregator: string; values: Value[] } {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values: this.values() }
  }

  protected abstract values(): Value[]
}

/**
 * The children whose first labels have the same values, by the value of the next label: a joined string as the key would have to be hashed on every
 * call.
 */
type Branch<Child> = Map<string, Branch<Child> | Child>

/** Children by their label values. */
abstract class Family<Name extends string, Child extends object> extends Series<Name> {
  #root: Branch<Child> | Child | undefined
  readonly #children: { labels: Labels<Name>; child: Child }[] = []

  /** The child with these labels; keep a reference if it is updated often. */
  of(labels: Labels<Name>): Child {
    let found = this.#root
    for (const name of this.labelNames)
      found = (found as Branch<Child> | undefined)?.get(String(labels[name]))
    return (found as Child | undefined) ?? this.#add(labels)
  }

  #add(labels: Labels<Name>): Child {
    const child = this.make()
    this.#children.push({ labels: { ...labels }, child })
    const values = this.labelNames.map((name) => String(labels[name]))
    const last = values.pop()
    if (last === undefined) this.#root = child
    else {
      this.#root ??= new Map()
      let branch = this.#root as Branch<Child>
      for (const value of values) {
        if (!branch.has(value)) branch.set(value, new Map())
        branch = branch.get(value) as Branch<Child>
      }
      branch.set(last, child)
    }
    return child
  }

  protected abstract make(): Child
  protected abstract read(labels: Labels<Name>, child: Child): Value[]
  protected values(): Value[] {
    return this.#children.flatMap(({ labels, child }) => this.read(labels, child))
  }
}

export class Count {
  value = 0
  inc(by = 1): void {
    this.value += by
  }
}

/** A counter with labels. */
export class Counter<Name extends string> extends Family<Name, Count> {
  constructor(registry: Registry, naming: SeriesOptions<Name>) {
    super(registry, 'counter', naming)
  }
  inc(labels: Labels<Name>, by = 1): void {
    this.of(labels).value += by
  }
  protected make(): Count {
    return new Count()
  }
  protected read(labels: Labels<Name>, { value }: Count): Value[] {
    return [{ labels, value }]
  }
}

/** A counter without labels. */
export class PlainCounter extends Series<never> {
  #value = 0
  constructor(registry: Registry, naming: SeriesOptions) {
    super(registry, 'counter', naming)
  }
  inc(by = 1): void {
    this.#value += by
  }
  protected values(): Value[] {
    return [{ labels: {}, value: this.#value }]
  }
}

/** A gauge without labels. */
export class Gauge extends Series<never> {
  #value = 0
  constructor(registry: Registry, naming: SeriesOptions) {
    super(registry, 'gauge', naming)
  }
  inc(by = 1): void {
    this.#value += by
  }
  dec(by = 1): void {
    this.#value -= by
  }
  protected values(): Value[] {
    return [{ labels: {}, value: this.#value }]
  }
}

/** A gauge or counter whose values are read only when it is scraped; it has none until `setSource` sets their source. */
export class ScrapedSeries<Name extends string> extends Series<Name> {
  #read: () => Iterable<readonly [Labels<Name>, number]> = () => []
  constructor(registry: Registry, type: 'counter' | 'gauge', naming: SeriesOptions<Name>) {
    super(registry, type, naming)
  }
  setSource(read: () => Iterable<readonly [Labels<Name>, number]>): void {
    this.#read = read
  }
  protected values(): Value[] {
    return Array.from(this.#read(), ([labels, value]) => ({ labels, value }))
  }
}

/** The counts of the buckets of a histogram with certain labels. */
export class HistogramChild {
  readonly bounds: readonly number[]
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.bounds.length && value > this.bounds[at]!) at++
    this.counts[at]! += 1
    this.sum += value
  }

  /** Observes the seconds since a moment of `performance.now()`. */
  observeSince(startedMs: number): void {
    this.observe((performance.now() - startedMs) / 1000)
  }
}

/** A histogram, with or without labels. */
export class Histogram<Name extends string> extends Family<Name, HistogramChild> {
  readonly #bounds: readonly number[]
  constructor(registry: Registry, naming: SeriesOptions<Name> & { bounds: readonly number[] }) {
    super(registry, 'histogram', naming)
    this.#bounds = naming.bounds
  }
  observe(labels: Labels<Name>, value: number): void {
    this.of(labels).observe(value)
  }
  protected make(): HistogramChild {
    return new HistogramChild(this.#bounds)
  }
  protected read(labels: Labels<Name>, spread: HistogramChild): Value[] {
    const values: Value[] = []
    let below = 0
    for (const [at, count] of spread.counts.entries()) {
      below += count
      const le = spread.bounds[at] ?? '+Inf'
      values.push({ labels: { ...labels, le }, value: below, metricName: `${this.name}_bucket` })
    }
    values.push({ labels, value: spread.sum, metricName: `${this.name}_sum` })
    values.push({ labels, value: below, metricName: `${this.name}_count` })
    return values
  }
}
