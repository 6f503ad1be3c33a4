import type { Localized } from '#platform/errors'

/** Reasons for refusing a request. */
export const reasons = {
  longReference: (header: string): Localized => ({
    en: `${header} has more than 120 characters.`,
    fa: `${header} بیش از ۱۲۰ کاراکتر دارد.`,
  }),
  noOptions: {
    en: 'options of a vendor are not passed on; leave them out.',
    fa: 'گزینه‌های فروشنده به او نمی‌رسند؛ حذفشان کنید.',
  },
}
