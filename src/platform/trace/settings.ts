import { readUrl, variableSection, webProtocols } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** Where spans are sent; absent where tracing is off. */
    tracing?: TracingConfig | undefined
  }
}

/** Read from OpenTelemetry's standard variables. */
export interface TracingConfig {
  endpoint: string
  sampler?: string
  samplerArgument?: string
}

export const tracing = variableSection({
  name: 'tracing',
  variables: [
    {
      name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      about: 'The collector that spans are sent to; without it nothing is traced.',
    },
    { name: 'OTEL_TRACES_SAMPLER', about: 'Which traces are kept, by the names of OpenTelemetry.' },
    {
      name: 'OTEL_TRACES_SAMPLER_ARG',
      about: 'The share of traces that is kept, for samplers that take one.',
    },
  ],
  read: (variable) => {
    const endpoint = variable('OTEL_EXPORTER_OTLP_ENDPOINT')
    const sampler = variable('OTEL_TRACES_SAMPLER')
    const samplerArgument = variable('OTEL_TRACES_SAMPLER_ARG')
    if (endpoint === undefined) return undefined
    return {
      endpoint: readUrl('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint, webProtocols),
      ...(sampler !== undefined && { sampler }),
      ...(samplerArgument !== undefined && { samplerArgument }),
    }
  },
})
