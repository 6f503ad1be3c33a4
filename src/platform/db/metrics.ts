import { Reading, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    pool: Reading<'state'>
  }
}

export function poolSeries(registry: Registry) {
  return {
    pool: new Reading(registry, 'gauge', {
      name: 'kherad_database_connections',
      help: 'Connections of the pool by state; waiting counts callers without one.',
      labelNames: ['state'],
    }),
  }
}
