import { Counter, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    filesLost: Counter<'kind'>
  }
}

export function storageSeries(registry: Registry) {
  return {
    filesLost: new Counter(registry, {
      name: 'kherad_files_lost_total',
      help: 'Reads of stored bytes whose row is there and which the store does not have, by kind. Alarm on any growth.',
      labelNames: ['kind'],
    }),
  }
}
