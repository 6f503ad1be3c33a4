/** What is recorded of one request: its spans (OpenTelemetry) and its log line. Never prompt or answer text. */
import type { Log } from '#platform/log'
import type { Egress } from '#platform/proxy'

export type { TracingConfig } from './settings.ts'
export { TraceContext } from './trace-context.ts'

export type Attributes = Record<string, string | number | boolean | string[] | undefined>

export interface SpanOptions {
  kind: 'internal' | 'client'
  attributes?: Attributes
  /** Unix milliseconds, or a moment of `performance.now()`; now when absent. */
  startMs?: number
}

export interface Span {
  /** This span as the parent of others, as a W3C `traceparent` header. */
  readonly traceparent: string
  child(name: string, options: SpanOptions): Span
  set(attributes: Attributes): void
  /** Ends it, now when `atMs` is absent. `error` is a class of failure such as `timeout`, never a sentence. */
  end(more?: { atMs?: number; error?: string | undefined }): void
}

export interface Tracing extends AsyncDisposable {
  /** The span of a request that came in. `traceparent` is the caller's, unchecked. */
  request(name: string, attributes: Attributes, traceparent: string | undefined): Span
  /** The span of work that was taken from a queue: a trace of its own. */
  work(name: string, attributes: Attributes): Span
}

export interface TracingOptions {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`, without the path of the signal. */
  endpoint: string
  /** `OTEL_TRACES_SAMPLER` and its argument, as typed. */
  sampler?: string | undefined
  samplerArgument?: string | undefined
  /** How spans get there. */
  egress?: Egress
  log: Log
}

/**
 * Spans sent by OTLP (HTTP, JSON) in batches. Whatever the collector does, requests do not wait for it: what it does not
 * take is dropped. The SDK is loaded only here, so that it costs nothing where tracing is off.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { otlpTracing } = await import('./otlp.ts')
  return otlpTracing(options)
}
