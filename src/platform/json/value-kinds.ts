/** True for a JSON object; what comes from outside is `unknown` until checked. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for a text that is not empty. */
export const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''
