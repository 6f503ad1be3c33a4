/** Phone numbers of people, and the text messages to them: each sent at most once, bounded by number and by day, because each costs money. */
import type { Config } from '#platform/config'
import { fail } from '#platform/errors'
import { isPermitted, phoneNumber } from './number.ts'
import './errors.ts'

export type { PhonesApp, TextJobsApp } from './app.ts'
export { pauseMs, requireSms } from './budget.ts'
export { isPermitted, maskedNumber, phoneNumber } from './number.ts'
export { givePhone, lockForNumber, removePhone } from './own.ts'
export { queueCode } from './queue.ts'
export { textJob } from './send.ts'
export { countOfDay, isBrowserOfPhone, lockNumber, personByPhone, phoneOf } from './store.ts'

/** Returns a typed number in E.164. Throws PHONE_INVALID (400) for what is no number or gets no messages, and SMS_UNAVAILABLE (503) without a gateway. */
export function requireNumber({ config }: { config: Pick<Config, 'sms'> }, typed: string): string {
  const { prefixes } = config.sms ?? fail('SMS_UNAVAILABLE', { lacks: 'gateway' })
  const number = phoneNumber(typed, prefixes) ?? fail('PHONE_INVALID', { why: 'shape' }, { param: 'phone' })
  return isPermitted(number, prefixes) ? number : fail('PHONE_INVALID', { why: 'prefix' }, { param: 'phone' })
}
