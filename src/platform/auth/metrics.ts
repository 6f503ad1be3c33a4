import { type Registry, ScrapedSeries } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    keyLookups: ScrapedSeries<'result'>
    sessionLookups: ScrapedSeries<'result'>
  }
}

export function keySeries(registry: Registry) {
  return {
    keyLookups: new ScrapedSeries(registry, 'counter', {
      name: 'kherad_key_lookups_total',
      help: 'API keys found in the cache (hit) or asked of the database (miss).',
      labelNames: ['result'],
    }),
    sessionLookups: new ScrapedSeries(registry, 'counter', {
      name: 'kherad_session_lookups_total',
      help: 'Sessions of people found in the cache (hit) or asked of the database (miss).',
      labelNames: ['result'],
    }),
  }
}
