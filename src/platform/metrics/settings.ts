import { Type } from 'typebox'
import { fileSection, integerIn, readingRules } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    metrics: MetricsConfig
  }
}

/** Who may read `/metrics`, and where. */
export interface MetricsConfig {
  /** The required bearer token; if absent, no token is required. */
  token?: string
  /** The port; if absent, that of the API. */
  port?: number
  /** The host of that port; if absent, that of the API. */
  host?: string
}

export const metrics = fileSection({
  name: 'metrics',
  schema: Type.Object(
    {
      token: Type.Optional(
        Type.String({
          pattern: '^[!-~]{16,200}$',
          ...readingRules({
            secret: true,
            expected: {
              en: 'a token of 16 to 200 letters, digits and signs',
              fa: 'توکنی با ۱۶ تا ۲۰۰ حرف، رقم و نشانه',
            },
          }),
        }),
      ),
      port: Type.Optional(integerIn(0, 65_535, { description: 'A port of their own.' })),
      host: Type.Optional(
        Type.String(
          readingRules({ expected: { en: 'an address to listen on', fa: 'نشانی‌ای برای گوش دادن' } }),
        ),
      ),
    },
    { default: {} },
  ),
  read: (value) => value,
})
