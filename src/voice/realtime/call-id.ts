/** Converts ids of calls to and from their public form: `rtc_` and the hexadecimal digits of the UUID. */
import { uuidOfHex } from '#platform/ids'

export const callName = (callId: string): string => `rtc_${callId.replaceAll('-', '')}`

/** The UUID in the name of a call; undefined for anything else. */
export const callIdOf = (name: string): string | undefined =>
  /^rtc_[0-9a-f]{32}$/.test(name) ? uuidOfHex(name.slice(4)) : undefined
