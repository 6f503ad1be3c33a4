import { Counter, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    webhooks: Counter<'outcome'>
  }
}

export function webhookSeries(registry: Registry) {
  return {
    webhooks: new Counter(registry, {
      name: 'kherad_webhook_attempts_total',
      help: 'Events sent to webhooks by how the attempt ended: delivered, retried (it is sent again), failed (it is not).',
      labelNames: ['outcome'],
    }),
  }
}
