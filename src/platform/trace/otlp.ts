/** Tracing by OpenTelemetry's SDK. */
import {
  type Context,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { openAgent } from '#platform/proxy'
import type { Attributes, Span, SpanOptions, Tracing, TracingOptions } from './trace.ts'

/** The maximum of spans that wait for the collector; more are dropped. */
const maxWaiting = 16_384
const exportTimeoutMs = 5_000

export function otlpTracing({ endpoint, sampler, samplerArgument, egress, log }: TracingOptions): Tracing {
  // Messages of the SDK (such as an unavailable collector) are logged; they contain no span and no attribute.
  const warn = (message: string): void => log.warn({ said: message.slice(0, 200) }, 'traces are not exported')
  diag.setLogger(
    { error: warn, warn, info() {}, debug() {}, verbose() {} },
    { suppressOverrideMessage: true },
  )
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'kherad' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(sampler, samplerArgument),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
          timeoutMillis: exportTimeoutMs,
          // Without a proxy or roots the exporter uses its own agent, which reads OTEL_EXPORTER_OTLP_CERTIFICATE.
          ...((egress?.proxy || egress?.trust) && {
            httpAgentOptions: async () => openAgent(endpoint, { ...egress, connectMs: exportTimeoutMs }),
          }),
        }),
        maxQueueSize: maxWaiting,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  })
  const tracer = provider.getTracer('kherad')
  return {
    request: (name, attributes, traceparent) =>
      new OtlpSpan(
        tracer,
        tracer.startSpan(
          name,
          { kind: SpanKind.SERVER, attributes: plain(attributes) },
          parentOf(traceparent),
        ),
      ),
    work: (name, attributes) =>
      new OtlpSpan(
        tracer,
        tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes: plain(attributes) }, ROOT_CONTEXT),
      ),
    async [Symbol.asyncDispose]() {
      await provider
        .shutdown()
        .catch((error: unknown) => log.warn({ err: error }, 'traces were lost at the stop'))
      diag.disable()
    },
  }
}

/** The sampler for a name of the SDK's specification; by default the caller's trace decides, otherwise every trace is sampled. */
function samplerOf(name: string | undefined, argument: string | undefined): Sampler {
  const requested = Number(argument ?? 1)
  const ratio = new TraceIdRatioBasedSampler(requested >= 0 && requested <= 1 ? requested : 1)
  const root = (sampler: Sampler): Sampler => new ParentBasedSampler({ root: sampler })
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler()
    case 'always_off':
      return new AlwaysOffSampler()
    case 'traceidratio':
      return ratio
    case 'parentbased_always_off':
      return root(new AlwaysOffSampler())
    case 'parentbased_traceidratio':
      return root(ratio)
    default:
      return root(new AlwaysOnSampler())
  }
}

/** The parent span in a header (https://www.w3.org/TR/trace-context/#traceparent-header). An invalid header is ignored. */
function parentOf(header: string | undefined): Context {
  const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header ?? '')
  const [, version, traceId = '', spanId = '', flags = '', rest] = found ?? []
  if (!found || version === 'ff' || (version === '00' && rest !== undefined)) return ROOT_CONTEXT
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

const plain = (attributes: Attributes): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      (entry): entry is [string, string | number | boolean | string[]] => entry[1] !== undefined,
    ),
  )

class OtlpSpan implements Span {
  readonly #tracer: Tracer
  readonly #span: OtelSpan

  constructor(tracer: Tracer, span: OtelSpan) {
    this.#tracer = tracer
    this.#span = span
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  child(name: string, { kind, attributes = {}, startMs }: SpanOptions): Span {
    const span = this.#tracer.startSpan(
      name,
      {
        kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
        attributes: plain(attributes),
        ...(startMs !== undefined && { startTime: startMs }),
      },
      trace.setSpan(ROOT_CONTEXT, this.#span),
    )
    return new OtlpSpan(this.#tracer, span)
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(plain(attributes))
  }

  end({ atMs, error }: { atMs?: number; error?: string | undefined } = {}): void {
    if (error !== undefined)
      this.#span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
    this.#span.end(atMs)
  }
}
