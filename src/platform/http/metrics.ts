import {
  Counter,
  fineSecondsBounds,
  Gauge,
  Histogram,
  type HistogramChild,
  type Registry,
  ScrapedSeries,
  secondsBounds,
} from '#platform/metrics'

declare module '#platform/metrics' {
  interface Metrics {
    requests: Counter<'operation' | 'status'>
    seconds: Histogram<'operation'>
    stages: Readonly<Record<Stage, HistogramChild>>
    streams: Gauge
    sockets: ScrapedSeries<never>
    /** The bytes of bodies whose requests are not finished. */
    bodyBytes: ScrapedSeries<never>
  }
}

/** The stages of a paid request, in order; the help text of `kherad_stage_seconds` describes each. */
export const stages = ['auth', 'parse', 'hold', 'first_byte', 'first_token', 'stream', 'settle'] as const
export type Stage = (typeof stages)[number]

export function requestSeries(registry: Registry) {
  const stage = new Histogram(registry, {
    name: 'kherad_stage_seconds',
    help: 'auth: key to caller. parse: body read and checked. hold: until it is durable. first_byte: upstream call to the first part of its answer. first_token: upstream call to the first token of a streamed answer. stream: first token to the end. settle: until it is durable.',
    labelNames: ['stage'],
    bounds: fineSecondsBounds,
  })
  return {
    requests: new Counter(registry, {
      name: 'kherad_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['operation', 'status'],
    }),
    seconds: new Histogram(registry, {
      name: 'kherad_http_request_seconds',
      help: 'From the request line to the end of the answer.',
      labelNames: ['operation'],
      bounds: secondsBounds,
    }),
    // Created at the start, so that every stage is exported from the beginning, at zero.
    stages: Object.fromEntries(stages.map((name) => [name, stage.of({ stage: name })])) as Record<
      Stage,
      HistogramChild
    >,
    bodyBytes: new ScrapedSeries<never>(registry, 'gauge', {
      name: 'kherad_body_bytes_in_flight',
      help: 'Bytes of request bodies that are held; limits.body_bytes_in_flight bounds them.',
    }),
    streams: new Gauge(registry, { name: 'kherad_open_streams', help: 'Event streams that are open now.' }),
    sockets: new ScrapedSeries<never>(registry, 'gauge', {
      name: 'kherad_open_sockets',
      help: 'WebSockets that are open now.',
    }),
  }
}
