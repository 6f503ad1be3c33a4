import type { Localized } from '#platform/errors'

/** Reasons for refusing a request. */
export const reasons = {
  longReference: (header: string): Localized => ({
    en: `${header} has more than 120 characters.`,
    fa: `${header} بیش از ۱۲۰ نویسه دارد.`,
  }),
}
