import { Counter, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    mails: Counter<'result'>
  }
}

export function mailSeries(registry: Registry) {
  return {
    mails: new Counter(registry, {
      name: 'kherad_mails_total',
      help: 'Mails by what came of an attempt to send one: sent, deferred (it is sent again), refused (for good), expired (given up after a day).',
      labelNames: ['result'],
    }),
  }
}
