import type { Localized } from '#platform/errors'
import { persianDigits } from '#platform/words'

/** A sentence without its full stop. */
export type SmsReason = Localized

/** Why a gateway has not taken a message, for its operator. They never hold the number, the code, the address or the key. */
export const reasons = {
  status: (status: number, expected: number): SmsReason => ({
    en: `the gateway answered with status ${status} in place of ${expected}: check key, template and credit there, and sms.success.status`,
    fa: `درگاه پیامک به‌جای وضعیت ${persianDigits(expected)} با ${persianDigits(status)} پاسخ داد: کلید، الگو و اعتبار آن و sms.success.status را بررسی کنید`,
  }),
  notJson: (status: number): SmsReason => ({
    en: `the gateway answered ${status} with something that is not JSON: check sms.url, or leave sms.success.pointer out`,
    fa: `درگاه پیامک با وضعیت ${persianDigits(status)} چیزی جز JSON پاسخ داد: sms.url را بررسی کنید یا sms.success.pointer را بردارید`,
  }),
  value: (pointer: string, found: string | undefined, expected: string): SmsReason => ({
    en: `the gateway refused: ${pointer} of its answer is ${found ?? 'something else'} in place of ${expected}; its documentation says what that means`,
    fa: `درگاه پیامک نپذیرفت: ${pointer} در پاسخش به‌جای ${expected} ${found === undefined ? 'چیز دیگری' : found} است؛ معنایش در مستندات درگاه است`,
  }),
  failed: (host: string, { en, fa }: Localized): SmsReason => ({
    en: `the gateway ${host} could not be used: ${en.replace(/\.$/, '')}`,
    fa: `با درگاه پیامک ${host} کاری برنیامد: ${fa.replace(/\.$/, '')}`,
  }),
  noTemplate: {
    en: 'sms.changed is not configured',
    fa: 'sms.changed پیکربندی نشده است',
  },
}
