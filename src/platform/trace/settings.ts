import { readUrl, variableSection, webProtocols } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** Where spans are sent; absent if tracing is off. */
    tracing?: TracingConfig | undefined
  }
}

/** The settings of OpenTelemetry's standard variables. */
export interface TracingConfig {
  endpoint: string
  sampler: string
  samplerArgument: string
}

export const tracing = variableSection({
  name: 'tracing',
  variables: [
    {
      name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      about: {
        en: 'The collector that spans are sent to; without it nothing is traced.',
        fa: 'گردآورنده‌ای که spanها به آن فرستاده می‌شوند؛ در نبودش چیزی ردیابی نمی‌شود.',
      },
    },
    {
      name: 'OTEL_TRACES_SAMPLER',
      default: 'parentbased_always_on',
      about: {
        en: 'Which traces are kept, by the names of OpenTelemetry.',
        fa: 'کدام ردیابی‌ها نگه داشته شوند، با نام‌های OpenTelemetry.',
      },
    },
    {
      name: 'OTEL_TRACES_SAMPLER_ARG',
      default: '1',
      about: {
        en: 'The share of traces that is kept, from 0 to 1, for samplers that take one.',
        fa: 'سهم ردیابی‌هایی که نگه داشته می‌شود، از ۰ تا ۱، برای نمونه‌گیرهایی که سهمی می‌گیرند.',
      },
    },
  ],
  read: (variable) => {
    const endpoint = variable('OTEL_EXPORTER_OTLP_ENDPOINT')
    if (endpoint === undefined) return undefined
    return {
      endpoint: readUrl('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint, webProtocols),
      sampler: variable('OTEL_TRACES_SAMPLER'),
      samplerArgument: variable('OTEL_TRACES_SAMPLER_ARG'),
    }
  },
})
