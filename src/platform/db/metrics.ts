import { type Registry, ScrapedSeries } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    pool: ScrapedSeries<'state'>
  }
}

export function poolSeries(registry: Registry) {
  return {
    pool: new ScrapedSeries(registry, 'gauge', {
      name: 'kherad_database_connections',
      help: 'Connections of the pool by state; waiting counts callers without one.',
      labelNames: ['state'],
    }),
  }
}
