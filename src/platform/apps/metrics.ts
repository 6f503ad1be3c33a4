import { Counter, type Registry } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    appsRequests: Counter<'handler'>
  }
}

export function appsSeries(registry: Registry) {
  return {
    appsRequests: new Counter(registry, {
      name: 'kherad_apps_requests_total',
      help: 'Requests to the second listener, by who answered: sites, clouds, or none (a host that nobody has, or a malformed request).',
      labelNames: ['handler'],
    }),
  }
}
