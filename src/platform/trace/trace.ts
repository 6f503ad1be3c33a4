/** The record of a request: its spans (OpenTelemetry) and its log line. They never contain prompt or answer text. */
import type { Log } from '#platform/log'
import type { Egress } from '#platform/proxy'

export type { TracingConfig } from './settings.ts'
export { TraceContext } from './trace-context.ts'

export type Attributes = Record<string, string | number | boolean | string[] | undefined>

export interface SpanOptions {
  kind: 'internal' | 'client'
  attributes?: Attributes
  /** The start in Unix milliseconds, or as a moment of `performance.now()`; now if absent. */
  startMs?: number
}

export interface Span {
  /** This span as a W3C `traceparent` header, for child spans elsewhere. */
  readonly traceparent: string
  child(name: string, options: SpanOptions): Span
  set(attributes: Attributes): void
  /** Ends the span, now if `atMs` is absent. `error` is a class of failure such as `timeout`, never a sentence. */
  end(more?: { atMs?: number; error?: string | undefined }): void
}

export interface Tracing extends AsyncDisposable {
  /** Begins the span of a received request. `traceparent` is the caller's header, unchecked. */
  request(name: string, attributes: Attributes, traceparent: string | undefined): Span
  /** Begins the span of work taken from a queue, in a trace of its own. */
  work(name: string, attributes: Attributes): Span
}

export interface TracingOptions {
  /** The address in `OTEL_EXPORTER_OTLP_ENDPOINT`, without the path for traces. */
  endpoint: string
  /** The sampler of `OTEL_TRACES_SAMPLER` and its argument, as typed. */
  sampler?: string | undefined
  samplerArgument?: string | undefined
  /** The egress of exported spans. */
  egress?: Egress
  log: Log
}

/**
 * Opens tracing, which sends spans by OTLP (HTTP, JSON) in batches. Requests never wait for the collector: spans that it does not accept are dropped.
 * The SDK is loaded only here, so that it costs nothing without tracing.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { otlpTracing } = await import('./otlp.ts')
  return otlpTracing(options)
}
