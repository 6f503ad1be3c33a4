import { Counter, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    sms: Counter<'result'>
  }
}

export function smsSeries(registry: Registry) {
  return {
    sms: new Counter(registry, {
      name: 'kherad_sms_total',
      help: 'Text messages by what came of them: sent, refused, unreached (it is tried again while its code is valid), unknown (it may have been sent, and is not sent again), expired.',
      labelNames: ['result'],
    }),
  }
}
