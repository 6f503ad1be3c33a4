import { Counter, Histogram, type Registry, secondsBounds } from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    cloudRequests: Counter<'area' | 'status'>
    cloudSeconds: Histogram<'area'>
  }
}

export function cloudSeries(registry: Registry) {
  return {
    cloudRequests: new Counter(registry, {
      name: 'kherad_cloud_requests_total',
      help: 'Answered requests of apps to their clouds, by the part that answered: rest, auth, functions, storage, realtime, files, or none.',
      labelNames: ['area', 'status'],
    }),
    cloudSeconds: new Histogram(registry, {
      name: 'kherad_cloud_request_seconds',
      help: 'From the request line of an app to the end of the answer of its cloud.',
      labelNames: ['area'],
      bounds: secondsBounds,
    }),
  }
}
