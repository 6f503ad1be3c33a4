import { type Registry, ScrapedSeries } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    realtimeCalls: ScrapedSeries<'engine' | 'transport'>
    realtimeCapacity: ScrapedSeries<never>
  }
}

export function realtimeSeries(registry: Registry) {
  return {
    realtimeCalls: new ScrapedSeries(registry, 'gauge', {
      name: 'kherad_realtime_calls',
      help: 'Calls that this process holds.',
      labelNames: ['engine', 'transport'],
    }),
    realtimeCapacity: new ScrapedSeries<never>(registry, 'gauge', {
      name: 'kherad_realtime_capacity',
      help: 'Calls that this process takes at a time; 0 while it is being stopped.',
    }),
  }
}
