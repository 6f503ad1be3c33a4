import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte, refuseVariable, variableSection } from '#platform/config'
import { TrustedProxies } from './trusted-proxies.ts'

export { TrustedProxies }

declare module '#platform/config' {
  interface Settings {
    limits: LimitsConfig
    /** The proxies whose `X-Forwarded-*` headers count. */
    trustedProxies: TrustedProxies
  }
}

/** Limits of one process. */
export interface LimitsConfig {
  /** The maximum bytes of bodies whose requests are not finished. */
  bodyBytesInFlight: number
}

export const limits = fileSection({
  name: 'limits',
  schema: Type.Object(
    {
      body_bytes_in_flight: integerIn(1, 1_099_511_627_776, {
        default: 256 * mebibyte,
        description: 'Bytes of request bodies that one process holds at once.',
      }),
    },
    { default: {} },
  ),
  read: ({ body_bytes_in_flight }) => ({ bodyBytesInFlight: body_bytes_in_flight }),
})

export const trustedProxies = variableSection({
  name: 'trustedProxies',
  variables: [
    {
      name: 'KHERAD_TRUSTED_PROXIES',
      about: {
        en: 'Addresses or networks of the proxies in front, such as 127.0.0.1, ::1 or 10.0.0.0/8: only their X-Forwarded-* headers count.',
        fa: 'نشانی‌ها یا شبکه‌های پراکسی‌های جلوی سرور، مانند 127.0.0.1، ‏::1 یا 10.0.0.0/8: تنها هدرهای X-Forwarded-* همین‌ها به حساب می‌آید.',
      },
    },
  ],
  read: (variable) => {
    const typed = variable('KHERAD_TRUSTED_PROXIES')
    try {
      return new TrustedProxies(typed?.split(/[\s,]+/).filter((range) => range !== '') ?? [])
    } catch {
      return refuseVariable('KHERAD_TRUSTED_PROXIES', typed, {
        en: 'addresses and networks separated by commas, such as 127.0.0.1, ::1 or 10.0.0.0/8 (a network of all addresses is none)',
        fa: 'نشانی‌ها و شبکه‌هایی با ویرگول میانشان، مانند 127.0.0.1، ‏::1 یا 10.0.0.0/8 (نه شبکه‌ی همه‌ی نشانی‌ها)',
      })
    }
  },
})
