import { Counter, Gauge, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    functionFetches: Counter<'target' | 'result'>
    functionFetchesOpen: Gauge
  }
}

export function brokerSeries(registry: Registry) {
  return {
    functionFetches: new Counter(registry, {
      name: 'kherad_function_fetches_total',
      help: 'Requests that functions sent, by where they went (outside, inside: the own cloud or /v1, none: refused before that) and what became of them: answered, or the code of the refusal.',
      labelNames: ['target', 'result'],
    }),
    functionFetchesOpen: new Gauge(registry, {
      name: 'kherad_open_function_fetches',
      help: 'Requests of functions that are under way.',
    }),
  }
}
