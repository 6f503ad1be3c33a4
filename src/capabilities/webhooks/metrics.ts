import { Counts, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    webhooks: Counts<'outcome'>
  }
}

export function webhookSeries(registry: Registry) {
  return {
    webhooks: new Counts(registry, {
      name: 'kherad_webhook_attempts_total',
      help: 'Events sent to webhooks by how the attempt ended: delivered, retried (it is sent again), failed (it is not).',
      labelNames: ['outcome'],
    }),
  }
}
