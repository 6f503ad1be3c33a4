import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Prometheus metrics of this process (`GET /metrics`). Labels are operations and outcomes, never callers. */
export interface Metrics {
  requests: Counter<'operation' | 'status'>
  seconds: Histogram<'operation'>
  streams: Gauge
  heldMicrocredits: Counter
  chargedMicrocredits: Counter
  lostMicrocredits: Counter
  upstreamAttempts: Counter<'provider' | 'outcome'>
  upstreamSeconds: Histogram<'provider'>
  text(): Promise<string>
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

export function openMetrics(): Metrics {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  collectDefaultMetrics({ register: registry, prefix: 'kherad_' })
  return {
    requests: new Counter({
      name: 'kherad_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'kherad_http_request_seconds',
      help: 'From the request line to the end of the answer.',
      labelNames: ['operation'],
      buckets,
      registers,
    }),
    streams: new Gauge({ name: 'kherad_open_streams', help: 'Event streams that are open now.', registers }),
    heldMicrocredits: new Counter({
      name: 'kherad_held_microcredits_total',
      help: 'Micro-credits taken on hold.',
      registers,
    }),
    chargedMicrocredits: new Counter({
      name: 'kherad_charged_microcredits_total',
      help: 'Micro-credits charged.',
      registers,
    }),
    lostMicrocredits: new Counter({
      name: 'kherad_platform_loss_microcredits_total',
      help: 'Cost beyond hold and free balance; alarm when it grows.',
      registers,
    }),
    upstreamAttempts: new Counter({
      name: 'kherad_upstream_attempts_total',
      help: 'Calls to upstreams by outcome.',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    upstreamSeconds: new Histogram({
      name: 'kherad_upstream_first_part_seconds',
      help: 'From the call to the first part of an upstream answer.',
      labelNames: ['provider'],
      buckets,
      registers,
    }),
    text: () => registry.metrics(),
  }
}
