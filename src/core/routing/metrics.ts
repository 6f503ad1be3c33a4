import { Counter, Histogram, type Registry, ScrapedSeries, secondsBounds } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    upstreamAttempts: Counter<'provider' | 'deployment' | 'outcome'>
    upstreamSeconds: Histogram<'provider'>
    /** Counts impossible claims of upstreams, and answers that were cut off past their limit. */
    disbelieved: Counter<'deployment' | 'what'>
    callersLeft: Counter<'provider' | 'action'>
    drains: ScrapedSeries<'provider'>
    /** 1 for a deployment that gets no calls now. */
    breakers: ScrapedSeries<'deployment'>
  }
}

export function upstreamSeries(registry: Registry) {
  return {
    upstreamAttempts: new Counter(registry, {
      name: 'kherad_upstream_attempts_total',
      help: 'Calls to upstreams by deployment and outcome.',
      labelNames: ['provider', 'deployment', 'outcome'],
    }),
    disbelieved: new Counter(registry, {
      name: 'kherad_upstream_disbelieved_total',
      help: 'Claims of upstreams that cannot be, and answers cut off past their limit; alarm when it grows.',
      labelNames: ['deployment', 'what'],
    }),
    upstreamSeconds: new Histogram(registry, {
      name: 'kherad_upstream_first_part_seconds',
      help: 'From the call to the first part of an upstream answer.',
      labelNames: ['provider'],
      bounds: secondsBounds,
    }),
    callersLeft: new Counter(registry, {
      name: 'kherad_callers_left_total',
      help: 'Callers who left while an upstream worked for them, by what became of its call: cancel, drain, or cancel_at_cap where max_drains were running.',
      labelNames: ['provider', 'action'],
    }),
    drains: new ScrapedSeries(registry, 'gauge', {
      name: 'kherad_drains',
      help: 'Answers that are read on for callers who left.',
      labelNames: ['provider'],
    }),
    breakers: new ScrapedSeries(registry, 'gauge', {
      name: 'kherad_breaker_open',
      help: '1 for a deployment that gets no calls now, 0 for one that does.',
      labelNames: ['deployment'],
      // Each worker has breakers of its own; one that is open in any worker has to be seen.
      aggregator: 'max',
    }),
  }
}
