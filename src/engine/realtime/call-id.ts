/** Ids of calls as people see them: `rtc_` and the hexadecimal digits of the UUID. */

export const callName = (callId: string): string => `rtc_${callId.replaceAll('-', '')}`

/** The UUID in the name of a call; undefined for anything else. */
export function callIdOf(name: string): string | undefined {
  if (!/^rtc_[0-9a-f]{32}$/.test(name)) return undefined
  const digits = name.slice(4)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join('-')
}
