import { Counter, Gauge, Histogram, type Registry, secondsBounds } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    databasesAwake: Gauge
    databaseWakeSeconds: Histogram<never>
    databaseRefusals: Counter<'code'>
  }
}

export const databaseSeries = (registry: Registry) => ({
  databasesAwake: new Gauge(registry, {
    name: 'kherad_databases_awake',
    help: 'Databases of app back-ends that this process keeps awake.',
  }),
  databaseWakeSeconds: new Histogram(registry, {
    name: 'kherad_database_wake_seconds',
    help: 'From the use of a database that this process does not keep awake until it answers.',
    labelNames: [],
    bounds: secondsBounds,
  }),
  databaseRefusals: new Counter(registry, {
    name: 'kherad_database_refusals_total',
    help: 'Uses of databases of app back-ends that were refused, by the code of their error.',
    labelNames: ['code'],
  }),
})
