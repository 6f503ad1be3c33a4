import { Type } from 'typebox'
import { fileSection, integerIn, mebibyte } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    limits: LimitsConfig
  }
}

/** Limits of one process. */
export interface LimitsConfig {
  /** Bytes of request bodies whose requests are not over. */
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
